// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SERVER_TEXT } from '#agent/features/access/shell/server.ts'
import { ShellPair } from '#tests/support/agent/shell-pair.ts'

const pair = new ShellPair()
beforeAll(() => pair.start())
afterAll(() => pair.stop())

test.each([
  ['echo out; echo err >&2; exit 3', { code: 3, stdout: 'out\n', stderr: 'err\n' }],
  ['kill -9 $$', { code: 137, stdout: '', stderr: '' }],
  ['read line; echo "got $line"', { code: 0, stdout: 'got some input\n', stderr: '' }],
  [
    'echo "$HOME $TERM $NOTIFY_SOCKET$LISTEN_FDS"',
    { code: 0, stdout: `${pair.home} dumb \n`, stderr: '' },
  ],
  ['ls /proc/self/fd | wc -l', { code: 0, stdout: '4\n', stderr: '' }],
  ['no-such-program', { code: 127, stdout: '', stderr: expect.stringContaining('not found') }],
  ['(sleep 30 &) ; echo done', { code: 0, stdout: 'done\n', stderr: '' }],
])('%s has its output and its result', async (command, expected) => {
  const { code, stdout, stderr } = await pair.run(command, 'some input\n')

  expect({ code, stdout: stdout.toString(), stderr }).toEqual(expected)
})

test('megabytes pass both ways at once, byte for byte', async () => {
  const bytes = randomBytes(20 << 20)

  const { code, stdout, stderr } = await pair.run('cat', bytes)

  expect([code, stderr, stdout.equals(bytes)]).toEqual([0, '', true])
})

test('a program that reads nothing does not stop the session', async () => {
  const { code, stdout } = await pair.run('sleep 0.2; echo end', randomBytes(4 << 20))

  expect([code, stdout.toString()]).toEqual([0, 'end\n'])
})

test('the session ends with its client', async () => {
  const client = pair.client('echo $$; exec sleep 300')
  const pid = await new Promise<number>((resolve) =>
    client.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk))),
  )
  const parent = (await Bun.file(`/proc/${pid}/stat`).text()).split(' ')[3]
  client.kill('SIGKILL')

  // systemd ends what is left when the server has ended.
  for (let left = 50; left > 0 && (await Bun.file(`/proc/${parent}/stat`).exists()); left--)
    await Bun.sleep(100)
  expect(await Bun.file(`/proc/${parent}/stat`).exists()).toBe(false)
  process.kill(pid)
})

test('signs of life continue when the clock goes back', async () => {
  const alive = /my \$last = 0;\nsub alive \{[\s\S]*?\n\}/.exec(SERVER_TEXT)?.[0] ?? ''
  const script = `
    our $now = 100_000;
    BEGIN { *CORE::GLOBAL::time = sub () { $main::now } }
    use Socket;
    socketpair my $notify, my $seen, AF_UNIX, SOCK_DGRAM, 0;
    ${alive}
    for (100_000, 100_001, 50_000, 50_001, 50_010) { $now = $_; alive() }
    my $count = 0;
    $count++ while defined recv $seen, my $text, 99, MSG_DONTWAIT;
    print $count;
  `
  const { stdout } = Bun.spawnSync(['perl', '-e', script])

  expect(stdout.toString()).toBe('3')
})
