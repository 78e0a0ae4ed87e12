// tier: gate
import { afterAll, expect, test } from 'bun:test'
import { RESTORE_OPTIONS } from '#agent/features/backups/fetch.ts'
import { filesOf } from '#agent/features/backups/restic/repository.ts'
import { type ResticView, resticProcess } from '#agent/features/backups/restic/sandbox.ts'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import { ofSite } from '#agent/kernel/host/real/unconfined.ts'
import { Secret } from '#shared/kernel/secret.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'

const MINUTES = 60_000
const RESTIC = '/root/restic/usr/bin/restic'
const FILES = '/root/open'
const CACHED = '/root/cached'
const SITE = '/srv/www/shop'
const ALLOWED = '/root/allowed'
const VIEW: ResticView = {
  files: FILES,
  cache: CACHED,
  program: RESTIC,
  starts: [],
  denied: deniedAddresses('').split('\n'),
  reads: { path: SITE, as: '/site' },
}

/** A program in the place of restic that tries to start others and to read the files of root. */
const HOSTILE = `
my $id = do { local $/; open(my $f, '<', '/site/id') or die $!; <$f> };
sub ran { my @argv = @_; my $pid = fork; if (!$pid) { open(STDOUT, '>', '/dev/null'); exec { $argv[0] } @argv; exit($! + 0) } waitpid($pid, 0); return $? >> 8 }
my @tried = (['/usr/bin/id'], ['/bin/sh', '-c', 'true'], ['/usr/bin/ssh', '-V'], ['/site/id'], ['/run/backup/id']);
for my $folder ('/cache', '/tmp', '/run', '/dev/shm', '/dev/mqueue', '/') {
  my $path = "$folder/draft";
  if (open(my $f, '>', $path)) { print $f $id; close $f; chmod 0755, $path }
  push @tried, [$path];
}
for my $loader ('/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1') {
  push @tried, [$loader, '/site/id'] if -e $loader;
}
my $name = 'draft';
my $memory = syscall($ARGV[0] + 0, $name, 0);
push @tried, ["/proc/self/fd/$memory"] if $memory >= 0;
my @ran = grep { ran(@$_) == 0 } @tried;
print "ran: ", join(' ', map { "@$_" } @ran), "\\n";
my @secret = ('/etc/ssh/ssh_host_ed25519_key', '/etc/ssh/sshd_config', '/etc/shadow', '/root/secret', '/var/lib/hosting-agent/cache/restic.deb');
print "read: ", join(' ', grep { open(my $f, '<', $_) } @secret), "\\n";
`
/** Saves files of other accounts, and restores them as restic does by itself: see `--ownership-by-name`. */
const OWNERS = `
useradd --uid 1234 victim
install -d /root/plain /root/store /root/restored
cd /root/plain && touch roots of-victim another && chown victim: of-victim && chown 4242:4242 another
export RESTIC_REPOSITORY=/root/store/shop RESTIC_PASSWORD=password
$0 init --quiet && $0 backup --quiet /root/plain
$0 restore --quiet latest:/root/plain --target /root/numbered >&2
find /root/numbered -type f -printf '%f %U %G\\n'
`
const STORE = {
  place: { kind: 'local' as const, path: '/root/store' },
  secret: new Secret(''),
}

/** memfd_create(2), by the number of the machine. */
const MEMFD = process.arch === 'arm64' ? '279' : '319'

unless(lab.available()).describe('restic in its sandbox', () => {
  afterAll(() => lab.switchDown(), MINUTES)

  test.each(['bookworm', 'trixie'] as const)(
    'executes nothing but itself on %s, and ssh for an SFTP target',
    async (suite) => {
      const host = await lab.startHost({ name: `sandbox-${suite}`, suite, init: 'systemd' })
      await putRestic(host)
      await installRestic(host)
      await host.must(['install', '-d', FILES, CACHED, SITE])
      for (const folder of [FILES, SITE]) await host.must(['cp', '/usr/bin/id', `${folder}/id`])
      await host.put('/root/secret', 'a secret')
      const inSandbox = (view: Partial<ResticView>, argv: readonly string[]) => {
        const site = resticProcess({ ...VIEW, ...view })
        const env = { RESTIC_CACHE_DIR: '/cache', AWS_SHARED_CREDENTIALS_FILE: '/run/backup/aws' }
        const [words] = ofSite(argv, { site, env, timeout_ms: 5_000 }, 'systemd')
        return host.exec(words)
      }

      const version = await inSandbox({}, [RESTIC, 'version'])
      expect([version.code, version.stdout.split(' ').slice(0, 2)]).toEqual([
        0,
        ['restic', '0.19.1'],
      ])

      // The provider of credentials that the S3 client of restic knows.
      const aws = (file: string) => `[default]\ncredential_process=/usr/bin/touch ${file}\n`
      const s3 = ['--repo', 's3:https://127.0.0.1:9/bucket', '--no-lock', 'cat', 'config']
      const asked = (folder: string) => [RESTIC, '--password-file', `${folder}/password`, ...s3]
      for (const [folder, file] of [
        ['/root', '/root/outside'],
        [FILES, '/cache/inside'],
        [ALLOWED, '/cache/allowed'],
      ] as const) {
        await host.put(`${folder}/password`, 'password')
        await host.put(`${folder}/aws`, aws(file))
      }
      const env = { AWS_SHARED_CREDENTIALS_FILE: '/root/aws' }
      await Promise.all([
        host.exec(['timeout', '5', ...asked('/root')], { env }),
        inSandbox({}, asked('/run/backup')),
        // Where the program is on the list, it runs: nothing but the list stops it.
        inSandbox({ files: ALLOWED, starts: ['/usr/bin/touch'] }, asked('/run/backup')),
      ])
      const ran = [
        'find',
        '/root/outside',
        CACHED,
        '-type',
        'f',
        '-name',
        '*side',
        '-o',
        '-name',
        'allowed',
      ]
      expect((await host.must(ran)).trim().split('\n')).toEqual([
        '/root/outside',
        `${CACHED}/allowed`,
      ])

      const perl = ['/usr/bin/perl', '-e', HOSTILE, MEMFD]
      const starts = { program: '/usr/bin/perl' }
      expect((await inSandbox(starts, perl)).stdout).toBe('ran: \nread: \n')
      const restore = { writes: { path: CACHED, as: '/restore' } }
      expect((await inSandbox({ ...starts, ...restore }, perl)).stdout).toBe('ran: \nread: \n')
      const sftp = { ...starts, starts: ['/usr/bin/ssh'] }
      expect((await inSandbox(sftp, perl)).stdout).toBe('ran: /usr/bin/ssh -V\nread: \n')

      // Restored as their author numbered and named them, and as the agent restores them.
      const own = (await host.must(['bash', '-ec', OWNERS, RESTIC])).trim().split('\n').sort()
      expect(own).toEqual(['another 4242 4242', 'of-victim 1234 1234', 'roots 0 0'])
      const repository = { name: 'shop', target: STORE, password: new Secret('password') }
      for (const [name, text] of Object.entries(filesOf(repository)))
        await host.put(`${FILES}/${name}`, text)
      const opening = ['--password-file', '/run/backup/password', '--repo', '/root/store/shop']
      const args = ['restore', 'latest:/root/plain', ...RESTORE_OPTIONS, '--target', '/restore']
      const written = { writes: { path: '/root/restored', as: '/restore' } }
      const store = { path: '/root/store', locks: '-/root/store/shop/locks' }
      const { code } = await inSandbox({ ...written, store }, [RESTIC, ...opening, ...args])
      const owners = await host.must([
        'find',
        '/root/restored',
        '-type',
        'f',
        '-printf',
        '%f %U %G\n',
      ])
      expect([code, owners.trim().split('\n').sort()]).toEqual([
        0,
        ['another 0 0', 'of-victim 0 0', 'roots 0 0'],
      ])
    },
  )
})
