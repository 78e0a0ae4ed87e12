import { expect, test } from 'bun:test'
import { draftOf, settingsOf } from '#dashboard/web/pages/sites/detail/settings/php-draft.ts'

const SET = { memory_limit: 256, values: { max_file_uploads: '50', 'pcre.jit': '0' } }

test('settings are the same after they are shown for a change', () => {
  expect(settingsOf(draftOf(SET))).toEqual(SET)
  expect(settingsOf(draftOf(null))).toBeNull()
})

test('a limit that is no number is sent as one that the server refuses', () => {
  expect(settingsOf({ ...draftOf(null), upload: 'much' })).toEqual({
    upload: Number.NaN,
    values: {},
  })
})
