"""What the commands on bare files share: which files are meant."""
