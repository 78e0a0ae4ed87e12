/** The users and groups of Debian 12 and 13 (base-passwd, systemd and common servers). */
const NAMES: ReadonlySet<string> = new Set([
  ...['adm', 'audio', 'avahi', 'backup', 'bin', 'bind', 'caddy', 'cdrom', 'clamav', 'colord'],
  ...['crontab', 'daemon', 'debian-tor', 'dialout', 'dip', 'disk', 'dnsmasq', 'docker', 'dovecot'],
  ...['dovenull', 'exim', 'fax', 'floppy', 'ftp', 'games', 'geoclue', 'git', 'gnats', 'haproxy'],
  ...['input', 'irc', 'kmem', 'kvm', 'landscape', 'list', 'lp', 'lxd', 'mail', 'man', 'mariadb'],
  ...['memcache', 'messagebus', 'mongodb', 'munin', 'mysql', 'nagios', 'netdev', 'news', 'nginx'],
  ...['nobody', 'nogroup', 'ntp', 'ntpsec', 'opendkim', 'openldap', 'operator', 'plugdev'],
  ...['polkitd', 'pollinate', 'postdrop', 'postfix', 'postgres', 'proftpd', 'prometheus', 'proxy'],
  ...['puppet', 'rabbitmq', 'redis', 'render', 'root', 'sasl', 'sgx', 'shadow', 'snmp', 'src'],
  ...['sshd', 'ssl-cert', 'staff', 'statd', 'sudo', 'sync', 'sys', 'syslog', 'tape', 'tcpdump'],
  ...['tftp', 'tss', 'tty', 'unbound', 'usbmux', 'users', 'utmp', 'uucp', 'uuidd', 'valkey'],
  ...['video', 'voice', 'vsftpd', 'wheel', 'www-data', 'zabbix'],
])

/** Matches `systemd-network` and others; Debian's names of new system users begin with `_`. */
const PATTERN = /^(systemd-|_)/

/** Returns whether a name is that of root or of a system account, which no site can have. */
export const isSystemAccount = (name: string): boolean =>
  NAMES.has(name.toLowerCase()) || PATTERN.test(name)

/** The minimum number of a user: useradd(8) gives smaller ones with --system (Policy 9.2.2). */
export const MIN_UID = 1000
