import { expect, test } from 'bun:test'
import { sharesOf } from '#scripts/bench/lib/profile.ts'

const frames = [
  ['(root)', ''],
  ['(idle)', ''],
  ['sql', 'file:///srv/control/node_modules/drizzle-orm/sql/sql.js'],
  ['check', 'file:///srv/control/node_modules/@sinclair/typebox/build/check.mjs'],
  ['run', 'file:///srv/control/dashboard/kernel/db/client.ts'],
  ['js_run', ''],
  ['emit', 'node:events'],
] as const
const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }))

test('adds up the time by package, folder and native function, without idle time', () => {
  const samples = [1, 2, 2, 3, 4, 5, 6, 99]
  const timeDeltas = [5_000, 300, 100, 200, 150, 200, 50, 400]

  expect(sharesOf({ nodes, samples, timeDeltas })).toEqual([
    { name: 'drizzle-orm', percent: 40 },
    { name: '@sinclair/typebox', percent: 20 },
    { name: 'native js_run', percent: 20 },
    { name: 'dashboard/kernel/db', percent: 15 },
    { name: 'node', percent: 5 },
  ])
})

test('of a program that did nothing is empty', () => {
  expect(sharesOf({ nodes, samples: [1], timeDeltas: [100] })).toEqual([])
})
