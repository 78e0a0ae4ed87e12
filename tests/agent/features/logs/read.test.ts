import { expect, test } from 'bun:test'
import { LogTails } from '#agent/features/logs/follow.ts'
import { groupFatals, listLogs, searchLog } from '#agent/features/logs/read.ts'
import { AgentLogPage, type LogSource } from '#shared/logs/site-logs.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const PROGRAM = '/usr/local/bin/hosting-agent logs'
const domain = shop.domain
const looked = { bytes: 7, files: 1, unread: 0, oldest_at: null }
const line = { at: null, level: 'info' as const, status: null, text: 'a', cut: false }
const page = { lines: [line], next: null, looked }

async function asked(source: LogSource, init: 'systemd' | 'direct' = 'systemd') {
  const host = await server(shop)
  host.init = init
  host.answer(PROGRAM, JSON.stringify(page))
  const answer = await searchLog(host, { domain, source, limit: 5, text: 'a secret' })
  const [run] = host.runs
  return { host, answer, run, request: JSON.parse(run?.options.input || '{}') }
}

test.each([
  ['access', 'www-data', ['/var/log/hosting/shop/access.log']],
  ['error', 'www-data', ['/var/log/hosting/shop/error.log']],
  ['mail', 'hosting-mail', ['/var/lib/hosting-mail/status/shop.log']],
] as const)('reads %s as %s', async (source, user, paths) => {
  const { answer, run, request } = await asked(source)

  expect(answer).toEqual(AgentLogPage.parse(page))
  expect([run?.line, run?.options.user, run?.options.site]).toEqual([PROGRAM, user, undefined])
  expect(request).toEqual({
    ...{ what: 'search', source, paths, limit: 5, text: 'a secret', budget_ms: 4000 },
  })
})

test.each([
  ['php', ['/srv/www/shop/logs/php-error.log']],
  ['cron', ['/srv/www/shop/logs/jobs.log']],
  [
    'wordpress',
    ['/srv/www/shop/logs/wordpress-debug.log', '/srv/www/shop/public/wp-content/debug.log'],
  ],
] as const)('reads %s as the site, without a network', async (source, paths) => {
  const { run, request } = await asked(source)

  expect(run?.line).toBe(PROGRAM)
  expect(run?.options.user).toBeUndefined()
  expect(run?.options.site?.user).toBe('shop')
  expect(run?.options.site?.directives).toContain('PrivateNetwork=yes')
  expect(request.paths).toEqual(paths)
})

test('without systemd, reads the record of root with the rights of the site', async () => {
  const { host } = await asked('cron', 'direct')

  const [record, reader] = host.runs
  expect(record?.line).toBe('cat -- /var/log/hosting/shop/jobs.json')
  expect(reader?.line).toBe(PROGRAM)
  expect(reader?.options.site?.user).toBe('shop')
  expect(JSON.parse(reader?.options.input ?? '').paths).toEqual([])
})

test.each([
  ['systemd', { files: 2, bytes: 7, changed_at: null }],
  ['direct', { files: 0, bytes: null, changed_at: null }],
] as const)('lists every log, with its size where it has files: %s', async (init, cron) => {
  const host = await server(shop)
  host.init = init
  const one = { files: 2, bytes: 7, changed_at: null }
  host.answer(PROGRAM, JSON.stringify(one))

  const { logs } = await listLogs(host, domain)

  const sources = ['access', 'error', 'php', 'wordpress', 'cron', 'mail'] as const
  expect(logs).toEqual(sources.map((source) => ({ ...(source === 'cron' ? cron : one), source })))
})

test('refuses a place whose log was rotated away, and an unknown site', async () => {
  const host = await server(shop)
  host.fail(PROGRAM, '', 3)
  const before = 'aaaaaaaaaaaaaaaa.7'

  const search = searchLog(host, { domain, source: 'access', limit: 5, before })
  expect(search).rejects.toThrow('The log was rotated since: search again')
  expect(listLogs(host, 'nobody.example')).rejects.toThrow('Site nobody.example not found')
  const since = '2026-01-01T00:00:00Z'
  expect(groupFatals(host, { domain: 'nobody.example', since })).rejects.toThrow('not found')
})

test('follows a limited number of logs, and ends the reader of one that is left', async () => {
  const host = await server(shop)
  host.answer(PROGRAM, `\n${JSON.stringify({ kind: 'left_out', lines: 7 })}\n{"kind":"x"}\n`)
  const tails = new LogTails(host)
  const open = await Promise.all(
    Array.from({ length: 16 }, () => tails.start({ domain, source: 'access' })),
  )

  expect(tails.start({ domain, source: 'access' })).rejects.toThrow('Too many logs')
  expect(await open[0]?.next()).toEqual([{ kind: 'left_out', lines: 7 }])
  await open[0]?.end()
  expect(host.signals).toEqual([expect.stringMatching(/^SIGKILL logs-/)])
  expect(await (await tails.start({ domain, source: 'access' })).next()).toHaveLength(1)
})
