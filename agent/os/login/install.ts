import type { Host } from '#agent/host/ports.ts'
import { installSteps } from '#agent/os/effects/change.ts'
import { LOGIN_PHP } from '#agent/os/site/paths.ts'
import type { Step } from '#agent/steps/command.ts'
import { LOGIN_PHP_TEXT } from './program.ts'

/** Returns the step that installs root's program for logins to WordPress; none if it is installed. */
export const loginSteps = (host: Host): Promise<Step[]> =>
  installSteps(host, { name: 'login', title: 'Installing the program for logins' }, [
    { path: LOGIN_PHP, text: LOGIN_PHP_TEXT },
  ])
