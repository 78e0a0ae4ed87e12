import type { TokenScope } from '#shared/kernel/values.ts'

/** What an API token of each scope can do; each includes those before it. */
export const SCOPE_TEXTS: Record<TokenScope, { name: string; about: string }> = {
  read: { name: 'Read', about: 'Reads everything except passwords. Changes nothing.' },
  operate: {
    name: 'Operate',
    about:
      'Everyday work on sites and servers, such as create, update, sync, restart and delete to the trash.',
  },
  admin: {
    name: 'Admin',
    about:
      'Also adds and removes servers, changes settings, shows passwords and deletes permanently.',
  },
}
