"""Publishing: the whole archive as Parquet files, for whoever asks questions of many matches."""
