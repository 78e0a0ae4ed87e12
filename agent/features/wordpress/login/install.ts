import { installSteps } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { LOGIN_PHP } from '#agent/kernel/site/paths.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { LOGIN_PHP_TEXT } from './program.ts'

/** Returns the step that installs root's program for logins to WordPress; none if it is installed. */
export const loginSteps = (host: Host): Promise<Step[]> =>
  installSteps(host, { name: 'login', title: 'Installing the program for logins' }, [
    { path: LOGIN_PHP, text: LOGIN_PHP_TEXT },
  ])
