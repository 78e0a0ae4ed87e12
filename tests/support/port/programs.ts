import type { Host } from '#agent/kernel/host/ports.ts'
import { type Case, failureOf, PLACE } from './case.ts'

const USER = 'port-user'
const ACCOUNTS = ['/etc/passwd', '/etc/group', '/etc/shadow']
const UNIT = 'hosting-port.service'
const SOCKET_UNIT = 'hosting-port.socket'
const SOCKET = '/run/hosting-port.sock'
const PROCESSES = `/sys/fs/cgroup/hosting.slice/hosting-port.slice/${UNIT}/cgroup.procs`
const UNITS = {
  [UNIT]: `[Unit]\nAfter=${SOCKET_UNIT}\nRequires=${SOCKET_UNIT}\n[Service]\nType=exec\nSlice=hosting-port.slice\nExecStart=/usr/bin/sleep 600\n`,
  [SOCKET_UNIT]: `[Socket]\nListenStream=${SOCKET}\nRemoveOnStop=yes\n`,
}

/** The user's fields in each file, without those that differ between machines. */
async function entriesOf({ files }: Host): Promise<string[]> {
  const texts = await Promise.all(ACCOUNTS.map((path) => files.read(path)))
  const [passwd = [], group = [], shadow = []] = texts.map((text = '') =>
    (text.split('\n').find((line) => line.startsWith(`${USER}:`)) ?? '').split(':'),
  )
  const own = passwd[2] !== undefined && passwd[2] === passwd[3] && passwd[2] === group[2]
  return [passwd[4], passwd[5], own ? 'own group' : '', group[3], shadow[7]].map(
    (one) => one ?? '-',
  )
}

export const PROGRAMS: Case[] = [
  {
    title:
      'a user is made with a group, admits others, expires and is removed before a group with members',
    async act(host) {
      const { run } = host.shell
      const home = ['--no-create-home', '--home-dir', `/srv/www/${USER}`]
      const add = ['useradd', ...home, '--user-group', '--comment', 'A user', '--', USER]
      const states = []
      for (const argv of [
        add,
        ['gpasswd', '--add', 'www-data', USER],
        ['gpasswd', '--add', 'root', USER],
        ['usermod', '--expiredate', '1', '--', USER],
        ['usermod', '--expiredate', '', '--', USER],
        ['gpasswd', '--delete', 'root', USER],
        ['userdel', '--', USER],
        ['groupdel', USER],
      ]) {
        await run(argv)
        states.push(await entriesOf(host))
      }
      return states
    },
    answer: [
      ['A user', `/srv/www/${USER}`, 'own group', '', ''],
      ['A user', `/srv/www/${USER}`, 'own group', 'www-data', ''],
      ['A user', `/srv/www/${USER}`, 'own group', 'www-data,root', ''],
      ['A user', `/srv/www/${USER}`, 'own group', 'www-data,root', '1'],
      ['A user', `/srv/www/${USER}`, 'own group', 'www-data,root', ''],
      ['A user', `/srv/www/${USER}`, 'own group', 'www-data', ''],
      ['-', '-', '', 'www-data', '-'],
      ['-', '-', '', '-', '-'],
    ],
  },
  {
    title: 'a second user of the same name is refused with status 9',
    act: async ({ shell }) => (await shell.try(['useradd', '--', 'www-data'])).code,
    answer: 9,
  },
  {
    title: 'a program that fails is a result for try, and an error for run and stream',
    async act({ shell }) {
      const argv = ['test', '-e', `${PLACE}/absent`]
      const stream = async () => {
        for await (const _ of shell.stream(argv));
      }
      const messages = [await failureOf(shell.run(argv)), await failureOf(stream())]
      return [(await shell.try(argv)).code, ...messages]
    },
    answer: [1, 'test failed (exit status 1): no output', 'test failed (exit status 1): no output'],
  },
  {
    title: 'files are copied, read, written and removed by programs',
    async act({ shell, files }) {
      await files.write(`${PLACE}/core/below/file`, 'line 1\nline 2\n')
      await files.mkdir(`${PLACE}/docroot`)
      const file = `${PLACE}/docroot/below/file`
      await shell.run(['cp', '-r', '--', `${PLACE}/core/.`, `${PLACE}/docroot/`])
      await shell.run(['cp', '--', file, `${PLACE}/docroot/copy`])
      await shell.run(['dd', 'status=none', `of=${PLACE}/docroot/input`], { input: 'input' })
      await shell.run(['sync', '--', file])
      const { stdout } = await shell.run(['tail', '--bytes=100', '--', file])
      const texts = ['copy', 'input'].map((name) => files.read(`${PLACE}/docroot/${name}`))
      const absent = await shell.try(['cp', '--', file, `${PLACE}/absent/copy`])
      await shell.run(['rm', '-rf', '--one-file-system', '--', `${PLACE}/docroot`])
      const gone = (await files.stat(`${PLACE}/docroot`)) ?? null
      return [stdout, ...(await Promise.all(texts)), absent.code, gone]
    },
    answer: ['line 1\nline 2\n', 'line 1\nline 2\n', 'input', 1, null],
  },
  {
    title: 'a program is fed by one that is fed itself, after an input of its own',
    async act({ shell, files }) {
      await files.write(`${PLACE}/first`, 'first\n')
      const first = { argv: ['cat', '--', `${PLACE}/first`], options: {} }
      const second = { argv: ['cat'], options: { input: 'head\n', input_from: first } }
      const argv = ['dd', 'status=none', `of=${PLACE}/fed`]
      const { fed } = await shell.run(argv, { input_from: second })
      const absent = { argv: ['cat', '--', `${PLACE}/absent`], options: {} }
      const between = { argv: ['cat'], options: { input_from: absent } }
      const failed = await shell.try(argv, { input_from: between })
      const codes = [failed.code, failed.fed?.code, failed.fed?.fed?.code]
      return [fed?.bytes, fed?.fed?.bytes, fed?.fed?.end, codes]
    },
    answer: [11, 6, 'first\n', [0, 0, 1]],
  },
  {
    title: 'a service has a process and a socket while it runs',
    async act({ files, shell }) {
      for (const [name, text] of Object.entries(UNITS))
        await files.write(`/etc/systemd/system/${name}`, text)
      await shell.run(['systemctl', 'daemon-reload'])
      const look = async () => {
        const pid = ((await files.read(PROCESSES)) ?? '').trim()
        const status = (await files.read(`/proc/${pid}/status`)) ?? ''
        const name = pid === '' ? 'none' : /^Name:\t(.*)$/m.exec(status)?.[1]
        return [name, (await files.stat(SOCKET)) !== undefined]
      }
      const states = [await look()]
      for (const command of ['start', 'restart', `stop ${SOCKET_UNIT}`]) {
        await shell.run(['systemctl', ...command.split(' '), UNIT])
        states.push(await look())
      }
      for (const name of Object.keys(UNITS)) await files.remove(`/etc/systemd/system/${name}`)
      await shell.run(['systemctl', 'daemon-reload'])
      const { code } = await shell.try(['systemctl', 'start', UNIT])
      return [states, code]
    },
    answer: [
      [
        ['none', false],
        ['sleep', true],
        ['sleep', true],
        ['none', false],
      ],
      5,
    ],
  },
  {
    title: 'a program of an operation is counted until it is ended',
    async act({ shell, programs, clock }) {
      const ended = shell.try(['sleep', '600'], { operation: 'port' })
      while ((await programs.count('port')) === 0) await clock.sleep(10)
      const running = await programs.count('port')
      await programs.signal('port', 'SIGTERM')
      const { code } = await ended
      return [running, code, await programs.count('port'), await programs.count('other')]
    },
    answer: [1, 128, 0, 0],
  },
]
