/* Calls the library that segments.c is with -DLIBRARY. */
int segments_burn(int argc, char **argv);

int main(int argc, char **argv)
{
	return segments_burn(argc, argv);
}
