import { readFileSync } from 'node:fs'
import { attempt } from '#agent/kernel/host/attempt.ts'
import { SETTINGS_FILE } from './settings-path.ts'

type Variables = Record<string, string | undefined>

/**
 * The environment of a manual command: the settings of the services, so that both use the same
 * agent. Variables of the call take precedence.
 */
export function withSettings(given: Variables, path = SETTINGS_FILE): Variables {
  // A user who may not read it is not an administrator, and gets the defaults.
  const text = attempt(() => readFileSync(path, 'utf8')) ?? ''
  return { ...parseSettings(text), ...given }
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
