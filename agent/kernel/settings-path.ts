/** Settings of an administrator for the services of the agent, as systemd.exec(5) reads them. */
export const SETTINGS_FILE = '/etc/hosting-agent/agent.env'
