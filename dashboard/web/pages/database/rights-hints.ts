import type { UserRights } from '#shared/database/database-user.ts'

export const RIGHTS_HINTS: Record<UserRights, string> = {
  read: 'Reads everything that the site stores, and changes nothing.',
  write:
    'Has the rights of the site itself: it can change and remove tables. If the site has an object cache, flush it afterwards.',
}
