import { ServiceError } from '#shared/kernel/errors.ts'

/** A socket that refuses, a root without access, and a server that accepts and is silent. */
export type DatabaseProblem = 'stopped' | 'denied' | 'silent'

const WORDS: Record<DatabaseProblem, string> = {
  stopped: 'MariaDB is not running',
  denied:
    'MariaDB refuses the agent as root: put an account with all rights into /root/.my.cnf or /etc/hosting-agent/mariadb.cnf',
  silent: 'MariaDB does not answer',
}

/** Thrown when MariaDB cannot be queried. Only `denied` needs an administrator. */
export class DatabaseUnavailable extends ServiceError {
  readonly problem: DatabaseProblem

  constructor(problem: DatabaseProblem, reason: string) {
    super(problem === 'denied' ? 'conflict' : 'internal', {
      message: reason === '' ? WORDS[problem] : `${WORDS[problem]} (${reason})`,
    })
    this.problem = problem
  }
}
