import { renderShellKeys } from '#agent/features/access/keys.ts'
import { keysOf } from '#agent/features/access/paths.ts'
import {
  endShells,
  hasShell,
  hasShellAccount,
  isShellAccountChanged,
  RUN_FOLDER,
  SHELL_CLIENT,
  SHELL_GROUP,
  shellAccountOf,
  shellAccountOptions,
  socketStarted,
  socketUnitOf,
  templateOf,
  unitPath,
  WANTS_FOLDER,
  wantsPath,
  withoutShellAccount,
} from '#agent/features/access/shell-account.ts'
import { withoutManager } from '#agent/features/access/user-manager.ts'
import { JOB_PROGRAM_FILES, JOB_PROGRAMS } from '#agent/features/jobs/cron/job-runner.ts'
import {
  type Change,
  declared,
  folder,
  generated,
  inOrder,
  linked,
  provided,
  removed,
  written,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { type GeneratedFile, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { homeOf, LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { RELAY } from './relay.ts'
import { SERVER, SERVER_TEXT } from './server.ts'
import { renderSession, renderSocket } from './units.ts'

const TMPFILES_FOLDER = '/etc/tmpfiles.d'
export const TMPFILES = `${TMPFILES_FOLDER}/hosting-shell.conf`
const RUN_MODE = 0o710

type ShellSite = Pick<Site, 'user' | 'php' | 'staging' | 'access'>

/** Runs Composer with the PHP of the site; Debian's package would use that of the server. */
const COMPOSER = {
  path: `${JOB_PROGRAMS}/composer`,
  text: `#!/bin/sh\n# ${MARK_LINE}\nexec ${JOB_PROGRAMS}/php /usr/bin/composer "$@"\n`,
  options: { mode: 0o755 },
}

const filesOf = (site: ShellSite): GeneratedFile[] => [
  ...JOB_PROGRAM_FILES,
  COMPOSER,
  { path: SHELL_CLIENT, text: START_TEXT, options: { mode: 0o755 } },
  { path: CLIENT, text: CLIENT_TEXT },
  { path: SERVER, text: SERVER_TEXT },
  { path: TMPFILES, text: `# ${MARK_LINE}\nd ${RUN_FOLDER} 0710 root ${SHELL_GROUP}\n` },
  { path: unitPath(templateOf(site.user)), text: renderSession(site) },
  { path: unitPath(socketUnitOf(site.user)), text: renderSocket(site) },
]

/** Provides the account and the socket of the shell of a site, or removes them when it has none. */
export function shellOf(host: Host, site: ShellSite): Change {
  const { user } = site
  if (!hasShell(site)) return withoutShellAccount(host, user)
  const socket = socketUnitOf(user)
  const files = inOrder(
    folder(host, TMPFILES_FOLDER),
    folder(host, JOB_PROGRAMS),
    generated(host, filesOf(site)),
    folder(host, WANTS_FOLDER),
    linked(host, unitPath(socket), wantsPath(socket)),
    folder(host, RUN_FOLDER, { mode: RUN_MODE, group: SHELL_GROUP }),
  )
  return inOrder(
    files,
    provided(
      async () => !(await hasShellAccount(host, user)),
      declared([effects.create('user', shellAccountOf(user))], () =>
        host.shell.run([
          'useradd',
          ...shellAccountOptions(user, homeOf(user)),
          '--',
          shellAccountOf(user),
        ]),
      ),
    ),
    provided(
      () => isShellAccountChanged(host, user, homeOf(user)),
      declared([effects.change('user', shellAccountOf(user))], async () => {
        // usermod(8) refuses a home while processes of the user run.
        await endShells(host, user)
        const options = ['--home', homeOf(user), '--shell', SHELL_CLIENT]
        await host.shell.run(['usermod', ...options, '--', shellAccountOf(user)])
      }),
    ),
    withoutManager(host, shellAccountOf(user)),
    socketStarted(host, user),
  )
}

/** Writes the keys of people with a shell; its account has no other way in. */
export function shellKeysOf(host: Host, { user, access = [] }: ShellSite): Change {
  const path = keysOf(shellAccountOf(user))
  if (!hasShell({ access })) return removed(host, 'file', path)
  return written(host, path, renderShellKeys(access), { mode: 0o640, group: SHELL_GROUP })
}

/** Rewrites the units of the shell for the PHP version of its site; running sessions stay. */
export const shellRewritten = (host: Host, site: ShellSite): Change =>
  provided(async () => hasShell(site) && isMet(NEEDS.shell, host), {
    effects: generated(host, filesOf(site)).effects,
    async apply() {
      await generated(host, filesOf(site)).apply()
      await host.shell.run(['systemctl', 'daemon-reload'])
    },
  })

const CLIENT = `${LIBRARY}/shell-client.pl`

/**
 * The program that sshd starts for a person as the shell account: it connects the session with the
 * socket of the site, and ends when sshd does. It has no option, and runs nothing.
 */
export const CLIENT_TEXT = `#!/usr/bin/perl
# ${MARK_LINE}
${RELAY}
${String.raw`
my $gate = getpwuid $<;
my $sshd = getppid;
my $tty = -t STDIN;
my $usual;
my $resized = 0;

sub size {
  my $size = pack 'S4', 24, 80, 0, 0;
  ioctl STDIN, 0x5413, $size;
  my ($rows, $columns) = unpack 'S2', $size;
  return "$rows $columns";
}

sub leave {
  my ($status, $message) = @_;
  for my $name ('stdout', 'stderr') {
    next if !$handle{$name};
    my $flags = fcntl $handle{$name}, F_GETFL, 0;
    fcntl $handle{$name}, F_SETFL, $flags & ~O_NONBLOCK;
    while (length $out{$name}) { last if !flush($name) }
  }
  $usual->setattr(0, POSIX::TCSANOW()) if $usual;
  print STDERR "$message\n" if defined $message;
  exit $status;
}

socket my $net, AF_UNIX, SOCK_STREAM, 0 or leave(255, 'There is no shell now');
connect $net, pack_sockaddr_un("${RUN_FOLDER}/$gate") or leave(255, 'There is no shell now');
if ($tty) {
  $usual = POSIX::Termios->new;
  $usual->getattr(0);
  my $raw = POSIX::Termios->new;
  $raw->getattr(0);
  $raw->setiflag($raw->getiflag & ~(POSIX::BRKINT() | POSIX::ICRNL() | POSIX::INLCR() | POSIX::IGNCR() | POSIX::ISTRIP() | POSIX::IXON() | POSIX::PARMRK()));
  $raw->setoflag($raw->getoflag & ~POSIX::OPOST());
  $raw->setlflag($raw->getlflag & ~(POSIX::ECHO() | POSIX::ECHONL() | POSIX::ICANON() | POSIX::ISIG() | POSIX::IEXTEN()));
  $raw->setcc(POSIX::VMIN(), 1);
  $raw->setcc(POSIX::VTIME(), 0);
  $raw->setattr(0, POSIX::TCSANOW());
  $SIG{WINCH} = sub { $resized = 1 };
}
calm('net', $net);
calm('stdin', \*STDIN);
calm('stdout', \*STDOUT);
calm('stderr', \*STDERR);
my @hello = ($tty ? 'tty' : '', $tty ? size() : '', $ENV{TERM} // '', $ENV{LANG} // '', $ENV{SSH_ORIGINAL_COMMAND} // '');
put('net', frame('h', join "\0", @hello));

for (;;) {
  my @sources = full('stdout') || full('stderr') ? () : 'net';
  push @sources, 'stdin' if !full('net');
  my ($readable, $writable) = ready(1, @sources);
  exit 255 if getppid != $sshd;
  if ($resized) {
    $resized = 0;
    put('net', frame('w', size()));
  }
  for (keys %$writable) {
    next if flush($_);
    leave(255) if $_ ne 'net';
    $out{net} = '';
  }
  if ($readable->{stdin} && defined(my $text = take('stdin'))) {
    put('net', $text eq '' ? frame('e', '') : frame('i', $text));
    shut('stdin') if $text eq '';
  }
  if ($readable->{net} && defined(my $text = take('net'))) {
    leave(255, 'The session was ended') if $text eq '';
    $received .= $text;
    while (my ($type, $data) = next_frame()) {
      put('stdout', $data) if $type eq 'o';
      put('stderr', $data) if $type eq 'r';
      leave(unpack('C', $data)) if $type eq 'x';
    }
  }
}
`}`

/** Unsets the language of the person: Perl complains about one that the server does not have. */
const START_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec env LC_ALL=C /usr/bin/perl ${CLIENT}
`
