import { readFileSync } from 'node:fs'
import { SETTINGS_FILE } from './os/upgrade/settings.ts'

type Variables = Record<string, string | undefined>

/**
 * The environment of a command that somebody runs by hand: the settings of the services, so that both
 * speak of the same agent. A variable that is given wins.
 */
export function withSettings(given: Variables, path = SETTINGS_FILE): Variables {
  return { ...parseSettings(textOf(path)), ...given }
}

/** Lines of `NAME=value`, the value in quotes or not; every other line is left out. */
export function parseSettings(text: string): Record<string, string> {
  const lines = text.matchAll(/^\s*([A-Z_][A-Z0-9_]*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))\s*$/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', double, single, plain = '']) => [
      name,
      double ?? single ?? plain.trim(),
    ]),
  )
}

/** Who may not read it is no administrator, and sees the defaults. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
