import { isTemporary, temporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  ToolRunResult as Ran,
  type ToolRunRequest,
  type ToolRunResult,
} from '#agent/kernel/host/tool-port.ts'
import { isolatedRun } from '#agent/kernel/sandbox/isolated-run.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import {
  MAX_PAGE_BYTES,
  type ToolFile,
  type ToolFileRequest,
  type ToolRequest,
} from '#shared/database/database-tool.ts'
import { conflict, notFound, tooMany } from '#shared/kernel/errors.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { answerOf, type ToolAnswer } from './answer.ts'
import { ADMINER, phpOfTool } from './install.ts'

const AT_ONCE = 4
const MAX_WAITING = 30
const LIMIT_MS = 60_000
const FILE_MS = 10 * 60_000
const MAX_SESSIONS = 200

/** Answers requests to Adminer, each with a program of its own. */
export class DatabaseTool {
  readonly #host: Host
  /** The sessions of PHP by user, in memory only: the last commands and notes of Adminer. */
  readonly #sessions = new Map<string, string>()
  readonly #files = new Map<ToolFile, { answer: ToolAnswer; until: number }>()
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(host: Host) {
    this.#host = host
  }

  /** Throws not_found for an unknown site and for a user whose time is over. */
  async ask(request: ToolRequest): Promise<ToolAnswer> {
    return this.askFor((await getSite(this.#host, request.domain)).user, request)
  }

  /** Answers for a database. Throws not_found for a user whose time is over. */
  async askFor(database: string, request: Omit<ToolRequest, 'domain'>): Promise<ToolAnswer> {
    const { user, password } = request
    const known = (await temporaryOf(this.#host, database)).some((one) => one.user === user)
    if (!known || !isTemporary(this.#host, user)) throw notFound('The session of Adminer was')
    const login = { HOSTING_USER: user, HOSTING_PASSWORD: password, HOSTING_DATABASE: database }
    const ran = await this.#run({ ...request, login, session: this.#sessions.get(user) ?? '' })
    this.#remember(user, ran.session)
    return answerOf(ran)
  }

  /** Answers with a file of its pages, without a user. */
  async file({ domain, file }: ToolFileRequest): Promise<ToolAnswer> {
    await getSite(this.#host, domain)
    const known = this.#files.get(file)
    if (known && this.#host.clock.elapsed() < known.until) return known.answer
    const none = { method: 'GET', type: '', body: '', login: {}, session: '' } as const
    const answer = answerOf(await this.#run({ ...none, query: `file=${file}` }))
    this.#files.set(file, { answer, until: this.#host.clock.elapsed() + FILE_MS })
    return answer
  }

  async #run(asked: SessionRequest): Promise<ToolRunResult> {
    const { shell, settings, files } = this.#host
    if (!(await files.stat(ADMINER))) throw conflict(NEEDS.adminer_pages.refusal)
    await this.#turn()
    try {
      const run = JSON.stringify(await runOf(this.#host, asked))
      const options = isolatedRun(settings.program, run, LIMIT_MS)
      const { code, stdout, stderr } = await shell.try([...settings.program, 'tool'], options)
      if (code !== 0) throw new Error(`hosting-agent tool: ${stderr.slice(-500)}`)
      return Ran.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  /** Waits for a turn: a page and its files are requested at once. */
  async #turn(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= MAX_WAITING)
      throw tooMany('Adminer has too many requests on this server: try again', 5)
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #remember(user: string, session: string): void {
    this.#sessions.delete(user)
    this.#sessions.set(user, session)
    for (const other of this.#sessions.keys())
      if (!isTemporary(this.#host, other) || this.#sessions.size > MAX_SESSIONS)
        this.#sessions.delete(other)
  }
}

interface SessionRequest extends Pick<ToolRequest, 'method' | 'query' | 'type' | 'body'> {
  login: Record<string, string>
  session: string
}

async function runOf(host: Host, asked: SessionRequest): Promise<ToolRunRequest> {
  const { method, query, type, body, login, session } = asked
  return {
    program: `/usr/sbin/php-fpm${await phpOfTool(host)}`,
    page: TOOL_PHP,
    reads: ['/usr/share/adminer'],
    params: {
      GATEWAY_INTERFACE: 'CGI/1.1',
      SERVER_PROTOCOL: 'HTTP/1.1',
      SERVER_SOFTWARE: 'hosting',
      REQUEST_METHOD: method,
      QUERY_STRING: query,
      REQUEST_URI: `/?${query}`,
      SCRIPT_NAME: '/',
      DOCUMENT_URI: '/',
      HTTPS: 'on',
      REQUEST_SCHEME: 'https',
      SERVER_NAME: 'adminer',
      HTTP_HOST: 'adminer',
      REDIRECT_STATUS: '200',
      SERVER_PORT: '443',
      SERVER_ADDR: '127.0.0.1',
      REMOTE_ADDR: '127.0.0.1',
      CONTENT_TYPE: type,
      CONTENT_LENGTH: String(Buffer.byteLength(body, 'base64')),
      HTTP_COOKIE: 'adminer_sid=tool; adminer_version=0',
      ...login,
    },
    content: body,
    session,
    most: MAX_PAGE_BYTES,
  }
}

/**
 * Runs Adminer 4.8 or 5 for one request of one temporary user, without its login form and for its
 * own database only. The user and the password come from the agent with the request; another
 * driver, server, user or database in it has no effect. The token of forms follows from the
 * password, so that forms outlive the session of PHP. An answer is whole if PHP met no fatal error,
 * and a file if the database is still connected at its end too: Adminer silently leaves out what it
 * could not read.
 */
const TOOL_PHP = `<?php
register_shutdown_function(function () {
  $fatal = [E_ERROR, E_PARSE, E_CORE_ERROR, E_COMPILE_ERROR, E_USER_ERROR, E_RECOVERABLE_ERROR];
  if (in_array(error_get_last()['type'] ?? 0, $fatal)) return;
  $connection = function_exists('Adminer\\\\connection') ? 'Adminer\\\\connection' : 'connection';
  $isPage = preg_grep('~^content-type: *text/html~i', headers_list());
  if ($isPage || isset($_GET['file']) || !function_exists($connection) || $connection()->query('SELECT 1'))
    touch(__DIR__ . '/whole');
});
if (!isset($_GET['file'])) {
  (function () {
    $take = function ($name) {
      $value = $_SERVER[$name] ?? '';
      unset($_SERVER[$name]);
      return $value;
    };
    define('HOSTING_TOOL', [$take('HOSTING_USER'), $take('HOSTING_PASSWORD'), $take('HOSTING_DATABASE')]);
    foreach (['sqlite', 'sqlite2', 'pgsql', 'oracle', 'mssql', 'mongo', 'elastic', 'clickhouse', 'firebird',
      'simpledb', 'script', 'adminer_sid', 'ext'] as $name) unset($_GET[$name]);
    unset($_POST['auth'], $_POST['logout']);
    [$_GET['username'], , $_GET['db']] = HOSTING_TOOL;
    $_GET['server'] = '';
    session_cache_limiter('');
    session_name('adminer_sid');
    session_id('tool');
    session_start();
    $_SESSION['pwds']['server'][''][$_GET['username']] = '';
    $_SESSION['token'] = 1 + hexdec(substr(hash_hmac('sha256', 'token', HOSTING_TOOL[1]), 0, 8)) % 1000000;
  })();

  function adminer_object() {
    class_alias(class_exists('Adminer\\\\Adminer', false) ? 'Adminer\\\\Adminer' : 'Adminer', 'HostingBase');
    class HostingAdminer extends HostingBase {
      function name(): string { return 'Adminer'; }
      function credentials(): array { return ['', HOSTING_TOOL[0], HOSTING_TOOL[1]]; }
      function login($login, $password) { return true; }
      function database(): ?string { return HOSTING_TOOL[2]; }
      function databases($flush = true): array { return [HOSTING_TOOL[2]]; }
    }
    return new HostingAdminer;
  }
}
include '/usr/share/adminer/adminer.php';
`
