import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVER_TEXT } from '#agent/features/access/shell/server.ts'
import { CLIENT_TEXT } from '#agent/features/access/shell/shell.ts'
import { RUN_FOLDER } from '#agent/features/access/shell-account.ts'

/** What systemd does for the socket: each connection is the standard input of a server. */
const LISTENER = String.raw`use Socket; $SIG{CHLD} = 'IGNORE';
socket my $socket, AF_UNIX, SOCK_STREAM, 0; bind $socket, pack_sockaddr_un($ARGV[0] . '/' . getpwuid $<); listen $socket, 8;
syswrite STDOUT, "ready\n";
while (accept my $one, $socket) {
  if (!fork) { $SIG{CHLD} = 'DEFAULT'; open STDIN, '+<&', $one; close $one; exec 'perl', $ARGV[1] }
  close $one;
}`

/** Both programs of a shell without systemd and sshd, under the user of the test. */
export class ShellPair {
  readonly #folder = mkdtempSync(join(tmpdir(), 'shell-'))
  readonly home = join(this.#folder, 'home')
  #listener: ChildProcess | undefined

  async start(): Promise<void> {
    const [client, server] = [join(this.#folder, 'client'), join(this.#folder, 'server')]
    mkdirSync(join(this.#folder, 'run'))
    writeFileSync(client, CLIENT_TEXT.replaceAll(RUN_FOLDER, join(this.#folder, 'run')))
    writeFileSync(server, SERVER_TEXT)
    const env = { PATH: process.env.PATH, HOME: this.home }
    const listener = spawn('perl', ['-e', LISTENER, join(this.#folder, 'run'), server], { env })
    this.#listener = listener
    await new Promise((resolve) => listener.stdout.once('data', resolve))
  }

  /** A client as sshd starts it, with its input and the variables of a person. */
  client(command: string, more: Record<string, string> = {}) {
    const env = { PATH: process.env.PATH, SSH_ORIGINAL_COMMAND: command, ...more }
    return spawn('perl', [join(this.#folder, 'client')], { env })
  }

  async run(command: string, input: string | Buffer = '') {
    const client = this.client(command)
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    client.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    client.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    // Of a program that ends before it has read all.
    client.stdin.on('error', () => undefined)
    client.stdin.end(input)
    const code = await new Promise<number | null>((resolve) => client.once('close', resolve))
    return { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }
  }

  /** From now on nobody listens. */
  end(): void {
    rmSync(join(this.#folder, 'run'), { recursive: true, force: true })
    this.#listener?.kill('SIGKILL')
  }

  stop(): void {
    this.end()
    rmSync(this.#folder, { recursive: true })
  }
}
