/* Makes the rows and the list of sections of a .def file; see settings.h. RW_SETTINGS_TABLE names the list, which is
 * static unless RW_SETTINGS_STORAGE is defined empty. */
#ifndef RW_SETTINGS_STORAGE
#define RW_SETTINGS_STORAGE static
#endif
#define SECTION(section, form, example, line) static const rw_setting section##_rows[] = {
#define ROW(section, name, kind, standard, allowed, unit, line)                                                        \
    {#name, RW_SETTING_##kind, offsetof(RW_SETTINGS_PREFIX(section), name), false, standard, allowed, unit, line, NULL},
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line)                                          \
    {#name, RW_SETTING_##kind, offsetof(RW_SETTINGS_PREFIX(section), name), false, standard, allowed, unit, line, condition},
#define REQUIRED(section, name, kind, example, allowed, unit, line)                                                    \
    {#name, RW_SETTING_##kind, offsetof(RW_SETTINGS_PREFIX(section), name), true, example, allowed, unit, line, NULL},
#define END(section) };
#define FREE(section, form, example, line)
#include RW_SETTINGS_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef FREE

RW_SETTINGS_STORAGE const rw_section RW_SETTINGS_TABLE[] = {
#define SECTION(section, form, example, line)                                                                          \
    {#section, RW_SECTION_##form, example, line, sizeof(RW_SETTINGS_PREFIX(section)), section##_rows,                  \
     RW_COUNT(section##_rows)},
#define ROW(section, name, kind, standard, allowed, unit, line)
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line)
#define REQUIRED(section, name, kind, example, allowed, unit, line)
#define END(section)
#define FREE(section, form, example, line) {#section, RW_SECTION_##form, example, line, 0, NULL, 0},
#include RW_SETTINGS_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef FREE
};
#undef RW_SETTINGS_STORAGE
#undef RW_SETTINGS_TABLE
#undef RW_SETTINGS_PREFIX
#undef RW_SETTINGS_DEF
