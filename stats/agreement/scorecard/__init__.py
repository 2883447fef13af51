"""Figures of one rater beside the others who rated the same items: agreement, bias by label, severity."""
