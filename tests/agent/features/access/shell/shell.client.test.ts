import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ShellPair } from '#tests/support/agent/shell-pair.ts'

const pair = new ShellPair()
beforeAll(() => pair.start())
afterAll(() => pair.stop())

test('variables of a person are no commands, and few of them pass', async () => {
  const client = pair.client('echo "$LANG|$LC_ALL|$PERL5OPT|$BASH_ENV"', {
    LANG: 'de_DE.UTF-8',
    LC_ALL: 'C',
    BASH_ENV: '/etc/passwd',
  })
  const text = await new Response(client.stdout as never).text()
  expect(text).toBe('de_DE.UTF-8|||\n')

  const hostile = pair.client('echo "$LANG|"', { LANG: '$(id)/../x' })
  expect(await new Response(hostile.stdout as never).text()).toBe('|\n')
})

test('says that there is no shell when nothing listens', async () => {
  const other = new ShellPair()
  const listening = await other.start().then(() => other.client('true'))
  expect(await new Promise((resolve) => listening.once('close', resolve))).toBe(0)
  other.end()

  const { code, stderr } = await other.run('true')

  expect([code, stderr]).toEqual([255, 'There is no shell now\n'])
  other.stop()
})
