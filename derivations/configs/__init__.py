"""A config.json read from its fields: what each layer of a released model computes and keeps."""
