import { ServiceError } from '#shared/kernel/errors.ts'

/** Its socket refuses; root has no access; or it accepts the connection and does not answer. */
export type DatabaseProblem = 'stopped' | 'denied' | 'silent'

const WORDS: Record<DatabaseProblem, string> = {
  stopped: 'MariaDB is not running',
  denied:
    'MariaDB refuses the agent as root: put an account with all rights into /root/.my.cnf or /etc/hosting-agent/mariadb.cnf',
  silent: 'MariaDB does not answer',
}

/** Why MariaDB cannot be queried. Only `denied` needs an administrator, and so refuses the request. */
export class DatabaseUnavailable extends ServiceError {
  readonly problem: DatabaseProblem

  constructor(problem: DatabaseProblem, reason: string) {
    super(problem === 'denied' ? 'conflict' : 'internal', {
      message: reason === '' ? WORDS[problem] : `${WORDS[problem]} (${reason})`,
    })
    this.problem = problem
  }
}
