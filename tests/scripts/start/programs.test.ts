import { expect, test } from 'bun:test'
import { isRoutine } from '#scripts/start/programs.ts'

test.each([
  ['{"at":"2026-01-01T00:00:00.000Z","level":"info","message":"operation started"}', true],
  ['{"at":"2026-01-01T00:00:00.000Z","level":"error","message":"clean-up failed"}', false],
  ['error: Cannot find module "elysia"', false],
  ['null', false],
  ['', false],
])('hides routine log lines of a program, and nothing else: %s', (line, kept) => {
  expect(isRoutine(line)).toBe(kept)
})
