import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import { RELAY } from './relay.ts'

export const SERVER = `${LIBRARY}/shell-server.pl`
/** Seconds of silence after which systemd ends a session: the site user may stop this program. */
export const SILENCE = 30

/**
 * The program of one session. It runs in the sandbox of the site, with the connection as standard
 * input. systemd ends everything that the session started when this program ends, and this program
 * ends with the connection.
 */
export const SERVER_TEXT = `#!/usr/bin/perl
# ${MARK_LINE}
${RELAY}
${String.raw`
my $SFTP = '/usr/lib/openssh/sftp-server';
my $notify;
if (my $path = delete $ENV{NOTIFY_SOCKET}) {
  $path =~ s/^@/\0/;
  socket $notify, AF_UNIX, SOCK_DGRAM, 0;
  connect $notify, pack_sockaddr_un($path) or undef $notify;
}
delete @ENV{qw(WATCHDOG_USEC WATCHDOG_PID LISTEN_PID LISTEN_FDS LISTEN_FDNAMES INVOCATION_ID JOURNAL_STREAM)};
delete @ENV{grep { /^(?:SYSTEMD_|REMOTE_|MEMORY_PRESSURE_)/ } keys %ENV};
my $last = 0;
sub alive {
  # The clock may have gone back.
  my $since = time - $last;
  return if $since >= 0 && $since < 5;
  $last = time;
  send $notify, 'WATCHDOG=1', 0 if $notify;
}

sub receive {
  alive();
  my $text;
  my $count = sysread(STDIN, $text, $CHUNK);
  POSIX::_exit(1) if !$count;
  $received .= $text;
}

my ($type, $data);
do { receive() } until ($type, $data) = next_frame();
POSIX::_exit(1) if $type ne 'h';
my ($tty, $size, $term, $lang, $command) = split /\0/, $data, 5;
$ENV{TERM} = $1 if $tty && $term =~ /^([A-Za-z0-9][\w.+-]{0,63})$/;
$ENV{LANG} = $1 if $lang =~ /^([\w.@-]{1,64})$/;
my @argv = $command =~ m{^(?:internal-sftp|/usr/lib/(?:openssh|ssh)/sftp-server)\b} ? ($SFTP, '-u', '0027')
  : $command eq '' ? ('/bin/bash') : ('/bin/bash', '-c', $command);
$ENV{PS1} = '\u:\w\$ ' if $tty;
mkdir $ENV{HOME}, 0700;

my ($child, $terminal);
# Its end interrupts the wait for data.
$SIG{CHLD} = sub { };
sub become {
  my @ends = @_;
  POSIX::setsid();
  ioctl $ends[0], 0x540e, 0 if $tty;
  POSIX::dup2(fileno $ends[$_], $_ + 10) for 0 .. 2;
  POSIX::dup2($_ + 10, $_) for 0 .. 2;
  POSIX::close($_) for 3 .. 63;
  $SIG{PIPE} = 'DEFAULT';
  exec { $argv[0] } @argv or POSIX::_exit(127);
}
sub resize {
  my ($rows, $columns) = $_[0] =~ /^(\d{1,5}) (\d{1,5})$/ or return;
  ioctl $terminal, 0x5414, pack('S4', $rows, $columns, 0, 0);
}
if ($tty) {
  sysopen $terminal, '/dev/ptmx', O_RDWR | O_NOCTTY or POSIX::_exit(1);
  my $number = pack 'i', 0;
  ioctl $terminal, 0x40045431, $number;
  ioctl $terminal, 0x80045430, $number;
  sysopen my $slave, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY or POSIX::_exit(1);
  resize($size);
  $child = fork // POSIX::_exit(1);
  become($slave, $slave, $slave) if !$child;
  close $slave;
  calm('terminal', $terminal);
} else {
  pipe(my $in, my $to) or POSIX::_exit(1);
  pipe(my $from, my $out) or POSIX::_exit(1);
  pipe(my $from_err, my $err) or POSIX::_exit(1);
  $child = fork // POSIX::_exit(1);
  become($in, $out, $err) if !$child;
  close $_ for $in, $out, $err;
  calm('stdin', $to);
  calm('stdout', $from);
  calm('stderr', $from_err);
}
my $input = $tty ? 'terminal' : 'stdin';
open my $net, '+<&=', 0;
calm('net', $net);

my ($status, $ended);
sub handle_frames {
  while (my ($type, $data) = next_frame()) {
    put($input, $data) if $type eq 'i';
    resize($data) if $type eq 'w' && $tty;
    next if $type ne 'e';
    $tty ? put($input, "\x04") : ($closing{$input} = 1);
  }
}

handle_frames();
for (;;) {
  alive();
  my @sources = $ended || !full($input) ? 'net' : ();
  my $looked = !full('net');
  push @sources, qw(terminal stdout stderr) if $looked;
  my $open = $handle{terminal} || $handle{stdout} || $handle{stderr};
  my ($readable, $writable) = ready(!$open ? 0.02 : defined $status ? 0.1 : 1, @sources);
  for (keys %$writable) {
    next if flush($_);
    POSIX::_exit(1) if $_ eq 'net';
    shut($_) if $_ eq 'stdin';
    $out{$_} = '' if $_ eq 'terminal';
  }
  if ($readable->{net} && defined(my $text = take('net'))) {
    POSIX::_exit($ended ? 0 : 1) if $text eq '';
    next if $ended;
    $received .= $text;
    handle_frames();
  }
  shut($input) if $closing{$input} && exists $out{$input} && $out{$input} eq '';
  my $moved = 0;
  for my $name (grep { $readable->{$_} } qw(terminal stdout stderr)) {
    my $text = take($name);
    next if !defined $text;
    $moved = 1;
    $text eq '' ? shut($name) : put('net', frame($name eq 'stderr' ? 'r' : 'o', $text));
  }
  if (!defined $status && waitpid($child, POSIX::WNOHANG()) == $child) {
    $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    next;
  }
  next if !defined $status || $moved || !$looked;
  if (!$ended) {
    put('net', frame('x', pack 'C', $status));
    $ended = time;
  }
  next if $out{net} ne '';
  # Unread input would reset the connection, and lose the result: the client ends it.
  my $waited = time - $ended;
  POSIX::_exit(0) if $waited < 0 || $waited > 5;
}
`}`
