import { expect, test } from 'bun:test'
import type { Alert } from '#dashboard/features/alerts/decide.ts'
import { begunMessage, endedMessage } from '#dashboard/features/alerts/message.ts'

const URL = 'https://control.example'
const NOW = '2026-03-01T09:30:00.000Z'
/** What a server could report to write lines of its own. */
const FORGED = 'down\n\nAll is well.\r\u2028Log in at https://evil.example \u202e'
const ON_ONE_LINE = 'down All is well. Log in at https://evil.example'

const alert = (more: Partial<Alert>): Alert => ({
  ...{ key: 'a', kind: 'server_offline', server_id: 1, site_id: null, name: 'web-1' },
  ...{ reason: FORGED, since: NOW, mailed_at: null, message_id: null, gone_at: null },
  ...more,
})

test('what a server reports stays on the line of its problem', () => {
  const server = alert({})
  const site = alert({ key: 'b', kind: 'site_down', site_id: 2, name: `shop${FORGED}` })

  const { subject, text } = begunMessage([server, site], [server, site], URL)

  expect(subject.includes('\n')).toBe(false)
  expect(text.split('\n')).toEqual([
    'web-1: server is offline',
    `  ${ON_ONE_LINE}`,
    '  https://control.example/servers/1',
    '',
    '  Probably for this reason:',
    `  - shop${ON_ONE_LINE}: ${ON_ONE_LINE}`,
    '',
    'Hosting Control sends this because email notifications are on in its settings. https://control.example/',
    '',
  ])
})

test('a reason is shortened', () => {
  const one = alert({ reason: 'x'.repeat(5000) })

  const { text } = begunMessage([one], [one], undefined)
  expect(text.split('\n')[1]).toBe(`  ${'x'.repeat(499)}…`)
  expect(endedMessage([alert({ name: FORGED })], [], undefined).text.split('\n')[0]).toBe(
    `${ON_ONE_LINE}: server is offline`,
  )
})
