import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { AT, lastId, record, tamper } from '#tests/support/dashboard/record.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

/** Seven activities with links, one of which ended later, and one without. */
async function makeSealed(): Promise<Dashboard> {
  const dashboard = await makeDashboard()
  await record(dashboard, ['a', 'b', 'c', 'd', 'e'])
  await record(dashboard, ['f'], { status: 'running' })
  await dashboard.deps.record.seal()
  await tamper(dashboard, "update activities set status = 'failed' where domain = 'f'")
  await dashboard.deps.record.seal()
  await record(dashboard, ['later'])
  return dashboard
}

const exported = async (of: Dashboard) => (await of.send('GET', '/api/activity/export')).text()

/** Runs the command with a DATA_DIR; the output in one text. */
async function verifyRecord(data_dir: string, ...path: string[]) {
  let said = ''
  const out = (text: string) => {
    said += text
  }
  const config = () => readConfig({ DATA_DIR: data_dir, DATABASE_URL: `file:${data_dir}/test.db` })
  const output = { out, err: out, read: async () => '' }
  const status = await runCommand(['verify-record', ...path], config, output)
  return { status, said }
}

describe('the export', () => {
  test('has the start, each link with its content, and the checkpoint', async () => {
    await using dashboard = await makeSealed()

    const response = await dashboard.send('GET', '/api/activity/export')

    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="activity-\d{4}-\d\d-\d\dT\d{6}Z\.jsonl"$/,
    )
    const { body: verified } = await dashboard.call('GET', '/api/activity/verify')
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const none = Buffer.alloc(32).toString('base64')
    expect(lines[0]).toEqual({
      record: 'hosting-control',
      start: { seq: 0, id: 0, hash: none },
      verifier: verified.verifier,
    })
    expect(lines[2]).toMatchObject({ seq: 2, id: 2, content: { domain: 'a', via: 'system' } })
    expect(lines[8]).toMatchObject({ seq: 8, id: 7, content: { id: 7, status: 'failed' } })
    expect(lines.slice(9)).toEqual([{ checkpoint: verified.checkpoint }])
  })

  test('is verified by the command, with the key of the dashboard or the one that it names', async () => {
    await using dashboard = await makeSealed()
    await using empty = await makeFolder()
    const file = `${empty.path}/export.jsonl`
    await writeFile(file, await exported(dashboard))

    const own = await verifyRecord(dashboard.folder, file)
    const elsewhere = await verifyRecord(empty.path, file)

    const { verifier } = (await dashboard.call('GET', '/api/activity/verify')).body
    const ended = expect.stringMatching(
      /^note: the checkpoint is of .*\nok: 7 activities are unchanged\n$/,
    )
    expect(own).toEqual({ status: 0, said: ended })
    expect(elsewhere.status).toBe(0)
    expect(elsewhere.said).toContain(`it is signed with ${verifier}: compare`)
  })

  type Change = (lines: string[]) => string[]
  test.each<[string, Change, string]>([
    [
      'a change',
      (lines) => lines.map((line) => line.replace('"domain":"c"', '"domain":"x"')),
      'Activity 4 was changed',
    ],
    ['a removed line', (lines) => lines.toSpliced(4, 1), 'A link before activity 5 is missing'],
    [
      'a line twice',
      (lines) => lines.toSpliced(4, 0, lines[3] ?? ''),
      'A link before activity 3 is missing',
    ],
    [
      'swapped lines',
      (lines) => lines.toSpliced(3, 2, lines[4] ?? '', lines[3] ?? ''),
      'A link before activity 4 is missing',
    ],
    ['fewer lines', (lines) => lines.toSpliced(7, 2), 'The record ends before its checkpoint'],
    [
      'no checkpoint',
      (lines) => lines.slice(0, -1),
      'It is not an export of the activity, or is incomplete',
    ],
    [
      'another size',
      (lines) => lines.map((line) => line.replace('\\n8\\n', '\\n7\\n')),
      'The checkpoint of the record is not signed by this dashboard',
    ],
    ['another text', () => ['a', 'b'], 'It is not an export of the activity, or is incomplete'],
    ['nothing', () => [], 'It is not an export of the activity, or is incomplete'],
  ])('with %s is found by the command', async (_, change, message) => {
    await using dashboard = await makeSealed()
    const lines = (await exported(dashboard)).trimEnd().split('\n')
    const file = `${dashboard.folder}/export.jsonl`
    await writeFile(
      file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    )

    expect(await verifyRecord(dashboard.folder, file)).toEqual({
      status: 1,
      said: `found: ${message}\n`,
    })
  })

  test('of another dashboard is found by the command', async () => {
    await using dashboard = await makeSealed()
    await using other = await makeFolder()
    await writeFile(`${other.path}/seal-secret`, 'x'.repeat(43))
    const file = `${other.path}/export.jsonl`
    await writeFile(file, await exported(dashboard))

    const message = 'The checkpoint of the record is not signed by this dashboard'
    expect(await verifyRecord(other.path, file)).toEqual({ status: 1, said: `found: ${message}\n` })
  })

  test('of a record without its end is refused', async () => {
    await using dashboard = await makeSealed()
    await tamper(dashboard, 'delete from activity_heads')

    expect(await dashboard.call('GET', '/api/activity/export')).toMatchObject({
      status: 409,
      body: { message: 'The checkpoint of the record was removed' },
    })
  })

  test('needs a session or a token', async () => {
    await using dashboard = await makeSealed()
    dashboard.token = ''

    expect((await dashboard.call('GET', '/api/activity/export')).status).toBe(401)
    expect((await dashboard.call('GET', '/api/activity/verify')).status).toBe(401)
  })
})

describe('the command on the database in use', () => {
  test('says that the record is unchanged, and what is not sealed yet', async () => {
    await using dashboard = await makeSealed()

    expect(await verifyRecord(dashboard.folder)).toEqual({
      status: 0,
      said: 'note: not sealed yet: 1\nok: 7 activities are unchanged\n',
    })
  })

  test('names the first problem', async () => {
    await using dashboard = await makeSealed()
    await tamper(dashboard, 'delete from activities where id = 3')

    expect(await verifyRecord(dashboard.folder)).toEqual({
      status: 1,
      said: 'found: Activity 3 was removed\n',
    })
  })
})

test('a verification is repeated unless an earlier one will do', async () => {
  await using dashboard = await makeSealed()
  await dashboard.call('GET', '/api/activity/verify')
  await tamper(dashboard, 'delete from activities where id = 3')

  const verify = async (query: string) =>
    (await dashboard.call('GET', `/api/activity/verify${query}`)).body.ok

  expect(await verify('?max_age=3600')).toBe(true)
  expect(await verify('')).toBe(false)
  expect((await dashboard.call('GET', '/api/activity/verify?max_age=1e3')).status).toBe(422)
})

describe('the activity of the fleet', () => {
  const listed = async (of: Dashboard, query: string) => {
    const { body } = await of.call('GET', `/api/fleet/activity?limit=500&${query}`)
    return body.activities.map(({ domain }: { domain: string }) => domain)
  }

  test('is filtered by user, source, address and time', async () => {
    await using dashboard = await makeDashboard()
    await record(dashboard, ['old'], { created_at: '2026-01-01T00:00:00.000Z', via: 'schedule' })
    await record(dashboard, ['person'], { user_id: 1, via: 'session', address: '203.0.113.7' })
    await record(dashboard, ['agent'], { via: 'agent' })

    expect(await listed(dashboard, 'via=schedule')).toEqual(['old'])
    expect(await listed(dashboard, 'address=203.0.113.7')).toEqual(['person'])
    expect(await listed(dashboard, 'user=nobody@control.example')).toEqual([])
    expect(await listed(dashboard, 'user=ann@control.example')).toContain('person')
    expect(await listed(dashboard, 'until=2026-01-02')).toEqual(['old'])
    expect(await listed(dashboard, `since=2026-11-20&until=${AT}`)).toEqual([])
    expect(await listed(dashboard, `since=${AT}&via=agent`)).toEqual(['agent'])
    for (const wrong of ['via=nobody', 'since=yesterday', 'until=2026-13-01']) {
      const { status } = await dashboard.call('GET', `/api/fleet/activity?${wrong}`)
      expect([wrong, status]).toEqual([wrong, 422])
    }
  })

  test('tells a session from a token, and both from the dashboard', async () => {
    await using dashboard = await makeDashboard()
    const { body } = await dashboard.call('POST', '/api/auth/tokens', {
      name: 'deploy',
      password: PASSWORD,
      scope: 'admin',
    })
    const script = { cookie: '', authorization: `Bearer ${body.plaintext}` }
    await dashboard.call('POST', '/api/servers', { hostname: 'person.example' })
    await dashboard.call('POST', '/api/servers', { hostname: 'script.example' }, script)
    await dashboard.call('DELETE', '/api/servers/2', undefined, script)

    expect(await listed(dashboard, 'via=session')).toEqual(['person.example', ''])
    expect(await listed(dashboard, 'via=token')).toEqual(['script.example', 'script.example'])
    expect((await listed(dashboard, 'via=system')).length).toBe((await lastId(dashboard)) - 4)
  })
})
