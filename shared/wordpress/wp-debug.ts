/** The hours for which the debug log of WordPress can be switched on. */
export const DEBUG_HOURS = [1, 8, 24] as const
export type DebugHours = (typeof DEBUG_HOURS)[number]
export const DEFAULT_DEBUG_HOURS = 24
