import type { Host } from '#tests/support/lab/index.ts'
import { SITE } from './backup-host.ts'

export const VICTIM = `/srv/www/${SITE.user}/public`

/** A number that no server has, and those that the first users of a Debian server get. */
export const UIDS = [0, ...Array.from({ length: 11 }, (_, at) => 1000 + at), 4242]

/** Extended attributes by their system calls: the base of Debian has no programs for them. */
const XATTRS = String.raw`
use strict; use IO::Socket::UNIX;
my ($set, $list) = ((POSIX::uname())[4] eq 'aarch64') ? (5, 11) : (188, 194);
sub mark { my ($path, $name, $value) = @_;
  syscall($set, $path, $name, $value, length($value), 0) == 0 or die "$name: $!"; }
sub marks { my ($path) = @_; my $names = "\0" x 4096;
  my $size = syscall($list, $path, $names, 4096); $size > 0 ? substr($names, 0, $size) : ''; }
`

/** In the folder that becomes `public`, which has a copy of the real files of the site. */
export const PLANT = String.raw`use POSIX (); ${XATTRS}
my ($victim, @uids) = @ARGV;
sub put { my ($path, $text) = @_; open(my $file, '>', $path) or die "$path: $!"; print $file $text; }
sub own { my ($uid, @paths) = @_; for (@paths) { POSIX::lchown($uid, $uid, $_) // die "$_: $!" } }
for my $uid (@uids) {
  symlink("$victim/private.txt", "file-$uid.txt"); symlink($victim, "folder-$uid");
  symlink("$victim/private.sql", "sql-$uid.txt"); own($uid, "file-$uid.txt", "folder-$uid", "sql-$uid.txt");
  put("plain-$uid.txt", 'planted'); own($uid, "plain-$uid.txt");
}
symlink('/etc/passwd', 'passwd.txt'); symlink('/etc/ssh', 'keys'); symlink('/', 'root'); symlink('/etc/nginx', 'nginx');
own(0, 'passwd.txt', 'keys', 'root', 'nginx');
my $program = "#!/bin/sh\nid\n";
for (['suid-root', 0, 04755], ['suid-victim', $uids[1], 06755], ['sgid', 4242, 02755]) {
  my ($name, $uid, $mode) = @$_; put($name, $program); own($uid, $name); chmod($mode, $name);
}
mkdir('sgid-folder'); own(1002, 'sgid-folder'); chmod(02777, 'sgid-folder'); put('sgid-folder/in', 'planted');
POSIX::mkfifo('pipe.php', 0644); own(1001, 'pipe.php');
IO::Socket::UNIX->new(Local => 'socket', Listen => 1) or die "socket: $!";
put('marked', 'planted'); mark('marked', 'user.evil', 'x');
mark('marked', 'security.capability', pack('V5', 0x02000001, 0xffffffff, 0, 0xff, 0));
# An access list for a user: entries of tag, permissions and number.
mark('marked', 'system.posix_acl_access',
  pack('V', 2) . join('', map { pack('vvV', @$_) } [1, 6, 0xffffffff], [2, 6, 1001], [4, 4, 0xffffffff], [16, 6, 0xffffffff], [32, 0, 0xffffffff]));
put('one', 'linked'); link('one', 'other'); own(1003, 'one');
for my $name ("line\nbreak", '-rf', '{}', "bad\xff", ' ') { put($name, 'planted'); own(1004, $name); }
my $deep = '.'; for my $at (1 .. 60) { $deep .= '/' . ('d' x 40); mkdir($deep) or die $!; } own(1005, $deep);
own(1001, '.'); chmod(0777, '.');
`

/** Prints entries of a tree that a site must not have. */
const FIND_FOREIGN = String.raw`use POSIX (); use File::Find; ${XATTRS}
my ($root, $user) = @ARGV; my (undef, undef, $uid, $gid) = getpwnam($user);
find({ no_chdir => 1, wanted => sub {
  my ($path) = ($_); my (undef, undef, $mode, undef, $owner, $group) = lstat($path); my @found;
  push(@found, "owner $owner:$group") if $owner != $uid || $group != $gid;
  push(@found, 'kind') unless -l _ || -d _ || -f _;
  push(@found, 'bits') if !-l _ && $mode & 06000;
  push(@found, 'marks ' . marks($path)) if !-l _ && marks($path) ne '';
  print "$path: @found\n" if @found;
} }, $root);
lstat($root); print "$root is a link\n" if -l $root; printf("%o\n", (lstat($root))[2]);
`

/** A change of the copy of `public` in `/site`, as a shell script. */
export type Variant = keyof typeof VARIANTS

export const VARIANTS = {
  everything: `cd /site/public && perl -e "$PLANT" ${VICTIM} ${UIDS.join(' ')}`,
  'pipes as index.php and wp-config.php':
    'cd /site/public && rm index.php wp-config.php && mkfifo index.php wp-config.php',
  'a device': 'cd /site/public && mknod device b 8 0 && chmod 0666 device',
  'a link to /': 'rm -r /site/public && ln -s / /site/public',
  'a link to /etc/ssh': 'rm -r /site/public && ln -s /etc/ssh /site/public',
  'a link to the neighbour': `rm -r /site/public && ln -s ${VICTIM} /site/public`,
  'a file': 'rm -r /site/public && echo planted > /site/public',
}

export const publicOf = (user: string) => `/srv/www/${user}/public`

/** Entries that the tree of a site must not have, and the mode of its public folder. */
export const foreignIn = (host: Host, user: string): Promise<string> =>
  host.must(['perl', '-e', FIND_FOREIGN, publicOf(user), user])
