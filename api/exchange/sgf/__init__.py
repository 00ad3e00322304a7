"""SGF (FF[4], GM[6]): read and written."""
