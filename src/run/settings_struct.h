/* Makes the structure of every section of a .def file; see settings.h. No include guard: included once a .def. */
#define SECTION(section, form, example, line) typedef struct RW_SETTINGS_PREFIX(section) {
#define ROW(section, name, kind, standard, allowed, unit, line) RW_MEMBER_##kind(name)
#define ROW_IF(section, name, kind, standard, allowed, unit, condition, line) RW_MEMBER_##kind(name)
#define REQUIRED(section, name, kind, example, allowed, unit, line) RW_MEMBER_##kind(name)
#define END(section) } RW_SETTINGS_PREFIX(section);
#define FREE(section, form, example, line)
#include RW_SETTINGS_DEF
#undef SECTION
#undef ROW
#undef ROW_IF
#undef REQUIRED
#undef END
#undef FREE
#undef RW_SETTINGS_PREFIX
#undef RW_SETTINGS_DEF
