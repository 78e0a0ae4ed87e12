import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { MAX_SESSION, ToolRunRequest, type ToolRunResult } from '#agent/kernel/host/tool-port.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { requestFpm, startFpm } from './fpm-once.ts'

const ANSWER_MS = 55_000

/**
 * `hosting-agent tool`: answers one request with PHP-FPM, which it starts and ends. Runs with the
 * rights of a user who exists only meanwhile, and who reaches nothing but the socket of MariaDB.
 */
export async function tool(): Promise<never> {
  const run = ToolRunRequest.parse(JSON.parse(await text(process.stdin)))
  const folder = mkdtempSync('/tmp/tool-')
  const [socket, page, config] = [`${folder}/s`, `${folder}/page.php`, `${folder}/fpm.conf`]
  const session = `${folder}/sess_tool`
  writeFileSync(page, run.page)
  writeFileSync(config, configOf(run, folder, socket))
  if (run.session !== '') writeFileSync(session, run.session)
  const fpm = await startFpm(run.program, [config, '--define', 'opcache.enable=0'], socket)
  try {
    const params = { ...run.params, SCRIPT_FILENAME: page }
    const content = Buffer.from(run.content, 'base64')
    const limits = { timeout_ms: ANSWER_MS, most: run.most }
    const answer = await requestFpm(socket, { params, content }, limits)
    const after = undefinedIfThrows(() => readFileSync(session, 'utf8')) ?? ''
    const ran: ToolRunResult = {
      answer: answer ? answer.toString('base64') : null,
      is_whole: existsSync(`${folder}/whole`),
      session: after.length > MAX_SESSION ? run.session : after,
    }
    console.log(JSON.stringify(ran))
  } finally {
    fpm.kill('SIGKILL')
  }
  process.exit(0)
}

const DISABLED = 'exec,passthru,shell_exec,system,popen,proc_open,pcntl_exec,mail,dl,putenv'

const configOf = ({ reads }: ToolRunRequest, folder: string, socket: string) =>
  [
    '[global]',
    'error_log = /dev/null',
    '[tool]',
    `listen = ${socket}`,
    'pm = static',
    'pm.max_children = 1',
    'request_terminate_timeout = 50s',
    'clear_env = yes',
    'security.limit_extensions = .php',
    `php_admin_value[open_basedir] = ${[folder, ...reads].join(':')}`,
    `php_admin_value[disable_functions] = ${DISABLED}`,
    'php_admin_value[allow_url_fopen] = 0',
    'php_admin_value[display_errors] = 0',
    'php_admin_value[log_errors] = 0',
    'php_admin_value[memory_limit] = 192M',
    'php_admin_value[max_execution_time] = 50',
    'php_admin_value[max_input_vars] = 20000',
    'php_admin_value[post_max_size] = 2M',
    'php_admin_value[upload_max_filesize] = 2M',
    'php_admin_value[mysqli.default_socket] = /run/mysqld/mysqld.sock',
    'php_admin_value[pdo_mysql.default_socket] = /run/mysqld/mysqld.sock',
    'php_admin_value[mysqli.allow_local_infile] = 0',
    'php_admin_value[session.save_handler] = files',
    'php_admin_value[session.gc_probability] = 0',
    ...['session.save_path', 'upload_tmp_dir', 'sys_temp_dir'].map(
      (name) => `php_admin_value[${name}] = ${folder}`,
    ),
    '',
  ].join('\n')
