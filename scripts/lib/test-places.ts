import type { Document } from './documents.ts'

/** Folders of tests that drive programs from outside, so that no file of source code is theirs. */
const BLACK_BOX = ['browser', 'contract', 'simulation', 'system', 'support']

/**
 * A sentence for each test that is not at the path of what it tests: `a/b.ts` is tested by
 * `tests/a/b.test.ts`, and an aspect of it by `tests/a/b.aspect.test.ts`.
 */
export function misplacedTests(paths: readonly string[]): string[] {
  const stems = new Set(paths.map((path) => path.replace(/\.(tsx?|sh|mjs)$/, '')))
  return paths
    .filter((path) => /^tests\/.*\.test\.tsx?$/.test(path))
    .filter((path) => !BLACK_BOX.includes(path.split('/')[1] ?? ''))
    .filter((path) => !tested(path).some((stem) => stems.has(stem)))
    .map((path) => `${path} tests no file at its path`)
}

function tested(path: string): string[] {
  const whole = path.replace(/^tests\//, '').replace(/\.test\.tsx?$/, '')
  return [whole, whole.replace(/\.[^./]+$/, '')]
}

/** A sentence for each command of the agent that has no test of its own. */
export function untestedCommands(paths: readonly string[], commands: readonly string[]): string[] {
  return commands
    .filter((name) => !paths.some((path) => isTestOf(path, name)))
    .map((name) => `${name}.test.ts is missing below tests/agent/features`)
}

/** Returns a sentence for each file of `tests/support` that compares something. */
export function assertionsInSupport(files: readonly Document[]): string[] {
  return files
    .filter(({ path, text }) => path.startsWith('tests/support/') && /\bexpect\(/.test(text))
    .map(({ path }) => `${path} expects something: a test does that with what it returns`)
}

const isTestOf = (path: string, command: string) =>
  path.startsWith('tests/agent/features/') && path.endsWith(`/${command}.test.ts`)
