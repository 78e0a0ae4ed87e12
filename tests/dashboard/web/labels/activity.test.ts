import { expect, test } from 'bun:test'
import { activityName } from '#dashboard/web/labels/activity.ts'
import { readSources } from '#scripts/lib/sources.ts'

/** The places of a type: a field, a call that is recorded, a row of a table of types, a query. */
const PLACES = [
  /\btype: '([a-z]+\.[a-z_-]+)'/g,
  /recordCall\([^']*'([a-z]+\.[a-z_-]+)'/g,
  /LOGIN_TYPES = \{[^}]*\}/g,
  /select '([a-z]+\.[a-z_-]+)', /g,
]

test('each type of entry that the dashboard writes has a name', async () => {
  const sources = (await readSources('.')).filter(({ path }) => path.startsWith('dashboard/'))
  const types = sources.flatMap(({ text }) =>
    PLACES.flatMap((place) => text.match(place) ?? []).flatMap(
      (found) => found.match(/(?<=')[a-z]+\.[a-z_-]+(?=')/g) ?? [],
    ),
  )

  expect(types).toContain('site.shell_login')
  expect(types).toContain('auth.session_expire')
  expect(new Set(types).size).toBeGreaterThan(60)
  expect([...new Set(types)].filter((type) => activityName(type) === type)).toEqual([])
})
