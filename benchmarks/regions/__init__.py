"""Figures of spans, boxes, rankings and texts, measured."""
