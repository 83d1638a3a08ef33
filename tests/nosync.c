/* In place of the system's: tests write thousands of small files and lose no power. It would take most of their time
 * on a disk. */
#include <unistd.h>

int fsync(int file)
{
    (void)file;
    return 0;
}
