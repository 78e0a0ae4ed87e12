import { expect, test } from 'bun:test'
import { activityName } from '#dashboard/web/labels/activity.ts'
import { readSources } from '#scripts/lib/sources.ts'

test('each type of entry that the dashboard writes has a name', async () => {
  const sources = (await readSources('.')).filter(({ path }) => path.startsWith('dashboard/'))
  const types = sources.flatMap(({ text }) =>
    [...text.matchAll(/entryOf\([^)]*?type: '([a-z]+\.[a-z_]+)'/gs)].map(([, type = '']) => type),
  )

  expect(new Set(types).size).toBeGreaterThan(30)
  expect([...new Set(types)].filter((type) => activityName(type) === type)).toEqual([])
})
