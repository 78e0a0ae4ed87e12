/** Of the services of the agent: what an administrator sets, as systemd.exec(5) reads it. */
export const SETTINGS_FILE = '/etc/hosting-agent/agent.env'
