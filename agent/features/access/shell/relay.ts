/**
 * The Perl code of both ends of a shell: perl-base is on every Debian, and has what a terminal
 * needs. A frame is a letter, the length of its data in four bytes, and the data.
 */
export const RELAY = String.raw`use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl;
use POSIX ();
use Socket;

$SIG{PIPE} = 'IGNORE';
my $CHUNK = 32768;
my $MOST = 1 << 18;
my %out;
my %handle;
my %closing;

sub frame { return pack('A1N', $_[0], length $_[1]) . $_[1] }

sub calm {
  my ($name, $handle) = @_;
  my $flags = fcntl($handle, F_GETFL, 0) or POSIX::_exit(255);
  fcntl($handle, F_SETFL, $flags | O_NONBLOCK) or POSIX::_exit(255);
  $handle{$name} = $handle;
  $out{$name} = '';
}

sub put { $out{$_[0]} .= $_[1] if exists $out{$_[0]} }
sub full { return length($out{$_[0]} // '') > $MOST }

sub shut {
  my ($name) = @_;
  close delete $handle{$name} if $handle{$name};
  delete $out{$name};
}

# Returns the text, '' at the end or after an error, and undef if there is nothing yet.
sub take {
  my $text;
  my $count = sysread($handle{$_[0]}, $text, $CHUNK);
  return $text if $count;
  return undef if !defined $count && ($! == EAGAIN || $! == EINTR);
  return '';
}

# Writes what it can; false: nobody reads it any more.
sub flush {
  my ($name) = @_;
  my $count = syswrite $handle{$name}, $out{$name}, $CHUNK;
  return $! == EAGAIN || $! == EINTR if !defined $count;
  substr($out{$name}, 0, $count, '');
  return 1;
}

# Waits for these names to be readable, and for all with output to be writable.
sub ready {
  my ($seconds, @names) = @_;
  my ($read, $write) = ('', '');
  for (grep { $handle{$_} } @names) { vec($read, fileno $handle{$_}, 1) = 1 }
  for (grep { length $out{$_} } keys %out) { vec($write, fileno $handle{$_}, 1) = 1 }
  my $count = select $read, $write, undef, $seconds;
  return ({}, {}) if $count <= 0;
  my %readable = map { $_ => 1 } grep { vec $read, fileno $handle{$_}, 1 } keys %handle;
  my %writable = map { $_ => 1 } grep { vec $write, fileno $handle{$_}, 1 } keys %handle;
  return (\%readable, \%writable);
}

my $received = '';
# The next whole frame as a letter and its data; nothing if it has not come.
sub next_frame {
  return if length $received < 5;
  my ($type, $length) = unpack 'A1N', $received;
  POSIX::_exit(255) if $length > 1 << 20;
  return if length $received < 5 + $length;
  my $data = substr $received, 5, $length;
  substr($received, 0, 5 + $length, '');
  return ($type, $data);
}
`
