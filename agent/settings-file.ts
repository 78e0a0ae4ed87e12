import { readFileSync } from 'node:fs'
import { SETTINGS_FILE } from './os/upgrade/settings.ts'

type Variables = Record<string, string | undefined>

/**
 * The environment of a manual command: the settings of the services, so that both use the same
 * agent. Variables of the call take precedence.
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

/** A user who may not read it is not an administrator, and gets the defaults. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
