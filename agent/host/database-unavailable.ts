import { ServiceError } from '#shared/errors.ts'

/** Its socket refuses; root may not enter; or it takes the connection and says nothing. */
export type DatabaseProblem = 'stopped' | 'denied' | 'silent'

const WORDS: Record<DatabaseProblem, string> = {
  stopped: 'MariaDB does not run',
  denied:
    'MariaDB does not let the agent in as root: put an account with all rights into /root/.my.cnf or /etc/hosting-agent/mariadb.cnf',
  silent: 'MariaDB does not answer',
}

/** Why nothing can be asked of MariaDB. Only `denied` needs a person, and so refuses what was asked for. */
export class DatabaseUnavailable extends ServiceError {
  readonly problem: DatabaseProblem

  constructor(problem: DatabaseProblem, reason: string) {
    super(problem === 'denied' ? 'conflict' : 'internal', {
      message: reason === '' ? WORDS[problem] : `${WORDS[problem]} (${reason})`,
    })
    this.problem = problem
  }
}
