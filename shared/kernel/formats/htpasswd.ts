import { requireMatch } from './require-match.ts'

/** Renders a line of the file of auth_basic_user_file: a name and a hash. */
export const renderUser = (user: string, hash: string): string =>
  `${requireMatch('user', user, /^[\w.@-]+$/, 'Must be letters, digits and . _ @ -')}:${requireMatch('password_hash', hash, /^[\w{}$./+=-]+$/, 'Must be a hash')}\n`
