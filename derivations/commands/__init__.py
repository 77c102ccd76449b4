"""The subcommands; each is imported when it is run."""
