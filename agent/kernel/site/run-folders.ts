/**
 * The folders of /run with the sockets of sites. A sandbox shows them as they are when its program starts:
 * they exist before the first one, and are never removed. Their entries have no names of sites.
 */
export const RUN_FOLDERS = [
  { path: '/run/hosting-objects', mode: 0o711 },
  { path: '/run/hosting-purge', mode: 0o711 },
] as const
