import { readFileSync } from 'node:fs'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { SETTINGS_FILE } from './settings-path.ts'

type EnvironmentVariables = Record<string, string | undefined>

/** Returns the environment of a manual command: that of the services, and its own first. */
export function withSettings(
  given: EnvironmentVariables,
  path = SETTINGS_FILE,
): EnvironmentVariables {
  // A user who may not read it is not an administrator, and gets the defaults.
  const text = undefinedIfThrows(() => readFileSync(path, 'utf8')) ?? ''
  return { ...parseSettings(text), ...given }
}

/** Parses lines of `NAME=value`, the value in quotes or not; every other line is left out. */
export function parseSettings(text: string): Record<string, string> {
  const lines = text.matchAll(/^\s*([A-Z_][A-Z0-9_]*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))\s*$/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', double, single, plain = '']) => [
      name,
      double ?? single ?? plain.trim(),
    ]),
  )
}
