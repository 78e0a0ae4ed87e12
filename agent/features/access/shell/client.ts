import { RUN_FOLDER } from '#agent/features/access/gate.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import { RELAY } from './relay.ts'

export const CLIENT = `${LIBRARY}/shell-client.pl`

/**
 * What sshd starts for a person, as the gate account: it connects the session with the socket of the
 * site, and ends when sshd does. It has no option, and runs nothing.
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

/** Perl would complain about a language of the person that the server does not have. */
export const START_TEXT = `#!/bin/sh
# ${MARK_LINE}
exec env LC_ALL=C /usr/bin/perl ${CLIENT}
`
