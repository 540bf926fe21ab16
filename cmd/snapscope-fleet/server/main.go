// Command snapscope-fleet-server is a Temporal server for one machine: its four
// services in one process, its state in a SQLite file, listening on loopback only.
// `snapscope-fleet dev` starts it beside its workers, so that a fleet can be tried
// with one command. A real fleet has a Temporal of its own
// (https://docs.temporal.io/self-hosted-guide) and does not need this program, which
// is why it is a module apart: the server is seven times as large as the fleet, and
// takes as long to compile.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const clusterName = "active" // what a Temporal of one cluster calls it

func main() {
	listen := flag.String("listen", "127.0.0.1:7233", "`address` of loopback to answer on")
	db := flag.String("db", "", "the `file` that holds the state; it is made where there is none")
	child := flag.Bool("child", false, "end when standard input ends")
	flag.Parse()
	if err := run(*listen, *db, *child); err != nil {
		fmt.Fprintln(os.Stderr, "snapscope-fleet-server:", err)
		os.Exit(1)
	}
}

func run(listen, db string, child bool) error {
	host, port, err := loopback(listen)
	if err != nil {
		return err
	}
	if db == "" {
		return errors.New("name the file of the state with --db")
	}
	conf, err := configure(host, port, db)
	if err != nil {
		return err
	}
	srv, err := temporal.NewServer(
		temporal.WithConfig(conf),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts(conf, host)),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "fatal"}))),
		// A folder of sessions is thousands of small activities: what bounds the rate of
		// requests protects clusters that many share, and this one is nobody else's.
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.FrontendRPS.Key():                                  100_000,
			dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           100_000,
			dynamicconfig.HistoryRPS.Key():                                   100_000,
			dynamicconfig.MatchingRPS.Key():                                  100_000,
			dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 1000,
		}),
	)
	if err != nil {
		return fmt.Errorf("starting Temporal: %w", err)
	}
	if err := srv.Start(); err != nil {
		return fmt.Errorf("starting Temporal: %w", err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	if child {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // it says nothing; its end says that who started us is gone
			stop <- os.Interrupt
		}()
	}
	<-stop
	return srv.Stop()
}

// loopback splits an address, which must be one of this machine alone.
func loopback(listen string) (host string, port int, err error) {
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return "", 0, fmt.Errorf("--listen: %w", err)
	}
	if addr.IP == nil || !addr.IP.IsLoopback() || addr.Port == 0 {
		return "", 0, fmt.Errorf("--listen is %s; only an address and a port of loopback will do: whoever reaches a Temporal without accounts can run anything that its workers can", listen)
	}
	return addr.IP.String(), addr.Port, nil
}

// configure is the configuration of a Temporal of one process.
func configure(host string, port int, db string) (*config.Config, error) {
	sql, err := database(db)
	if err != nil {
		return nil, err
	}
	front := net.JoinHostPort(host, fmt.Sprint(port))
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: sql}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: front},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: front},
		Services:            map[string]config.Service{},
	}
	c.Global.Membership.BroadcastAddress = host
	c.Archival.History.State, c.Archival.Visibility.State = "disabled", "disabled"
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	for _, service := range services {
		p := port
		if service != primitives.FrontendService {
			if p, err = freePort(host); err != nil {
				return nil, err
			}
		}
		c.Services[string(service)] = config.Service{RPC: config.RPC{GRPCPort: p, BindOnIP: host}}
	}
	return c, nil
}

var services = []primitives.ServiceName{
	primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
}

// hosts says where each service is, so that none looks for others on the network.
func hosts(c *config.Config, host string) map[primitives.ServiceName]static.Hosts {
	out := map[primitives.ServiceName]static.Hosts{}
	for _, service := range services {
		out[service] = static.SingleLocalHost(net.JoinHostPort(host, fmt.Sprint(c.Services[string(service)].RPC.GRPCPort)))
	}
	return out
}

// database opens the file of the state, or makes it.
func database(path string) (*config.SQL, error) {
	sql := &config.SQL{
		PluginName: sqlite.PluginName, DatabaseName: path,
		// A write-ahead log outlives a kill of the process, and costs no sync a write.
		ConnectAttributes: map[string]string{"mode": "rwc", "journal_mode": "wal", "synchronous": "normal"},
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := schema.SetupSchema(sql); err != nil {
			return nil, fmt.Errorf("making %s: %w", path, err)
		}
	}
	space, err := schema.NewNamespaceConfig(clusterName, "default", false, nil)
	if err == nil {
		err = schema.CreateNamespaces(sql, space)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return sql, nil
}

func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
