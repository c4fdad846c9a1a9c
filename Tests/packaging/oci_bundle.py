#!/usr/bin/env python3
"""Makes a bundle for an OCI runtime of a container that Packaging/container describes, with what Docker or a kubelet would make of it.

oci_bundle.py BUNDLE IMAGE DESCRIPTION CONTAINER ROOT VOLUMES [VARIABLE=VALUE...]

IMAGE is the configuration of the image, as `buildah inspect` prints it; DESCRIPTION a compose file, or one of Kubernetes; ROOT the image's
files. Each volume and secret is the folder or file of its name in VOLUMES, and a folder of the host the one of its path there; a device
is that of the host, and so is the network. Not responsible for control groups and profiles of security modules, which are off.
"""

import json
import os
import sys

import yaml

# As Docker gives them to any container.
ORDINARY = "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE"
FUSE = {"path": "/dev/fuse", "type": "c", "major": 10, "minor": 229, "fileMode": 0o666, "uid": 0, "gid": 0}
PROPAGATION = {"Bidirectional": "rshared", "HostToContainer": "rslave", None: "rprivate"}
PLAIN_MOUNTS = [
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
    {"destination": "/dev/pts", "type": "devpts", "source": "devpts", "options": ["newinstance", "ptmxmode=0666"]},
    {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": ["mode=1777"]},
    {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": ["ro", "nosuid", "noexec", "nodev"]},
]


def all_capabilities():
    """Those that this process has, and so can give."""
    with open("/proc/self/status") as status:
        (bits,) = [int(line.split()[1], 16) for line in status if line.startswith("CapBnd:")]
    # The numbers of <linux/capability.h>, in the order of their names.
    names = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST
        NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE
        SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP""".split()
    return [name for number, name in enumerate(names) if bits >> number & 1]


def bind(source, target, propagation, readonly=False):
    if not os.path.exists(source):
        os.makedirs(source)
    return {"destination": target, "type": "bind", "source": source, "options": ["rbind", propagation] + ["ro"] * readonly}


class Compose:
    """A service of a compose file."""

    def __init__(self, document, name, volumes):
        service = document["services"][name]
        self.command, self.variables = None, service.get("environment", {})
        self.capabilities = ORDINARY.split() + service.get("cap_add", [])
        self.devices = [FUSE for device in service.get("devices", []) if device == FUSE["path"]]
        self.mounts = [bind(f"{volumes}/{secret}", f"/run/secrets/{secret}", "rprivate", True) for secret in service.get("secrets", [])]
        for volume in service.get("volumes", []):
            if isinstance(volume, str):
                source, target = volume.split(":")
                self.mounts.append(bind(f"{volumes}/{source}", target, "rprivate"))
            else:
                source = f"{volumes}/{os.path.basename(volume['source'])}"
                self.mounts.append(bind(source, volume["target"], volume.get("bind", {}).get("propagation", "rprivate")))


class Pod:
    """A container of a pod, or of the pods of a DaemonSet."""

    def __init__(self, documents, name, volumes):
        specifications = [document.get("spec", {}) for document in documents]
        specifications = [spec.get("template", {}).get("spec", spec) for spec in specifications]
        spec, container = next(
            (spec, container) for spec in specifications
            for container in spec.get("initContainers", []) + spec.get("containers", []) if container["name"] == name)
        self.command = container["command"]
        self.variables = {variable["name"]: variable["value"] for variable in container.get("env", [])}
        privileged = container.get("securityContext", {}).get("privileged", False)
        self.capabilities = all_capabilities() if privileged else ORDINARY.split()
        self.devices = []
        sources = {volume["name"]: self.source(volume, volumes) for volume in spec["volumes"]}
        self.mounts = [bind(sources[mount["name"]], mount["mountPath"], PROPAGATION[mount.get("mountPropagation")], mount.get("readOnly", False))
                       for mount in container["volumeMounts"]]

    @staticmethod
    def source(volume, volumes):
        host = volume.get("hostPath")
        if host is None:
            return f"{volumes}/{volume['name']}"
        return host["path"] if host["type"] == "CharDevice" else volumes + host["path"]


def main():
    bundle, image, description, name, root, volumes, *variables = sys.argv[1:]
    with open(image) as file:
        image = json.load(file)["Docker"]["config"]
    with open(description) as file:
        documents = list(yaml.safe_load_all(file))
    container = Compose(documents[0], name, volumes) if "services" in documents[0] else Pod(documents, name, volumes)
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    environment.update(variable.split("=", 1) for variable in image.get("Env") or [])
    environment.update(container.variables, **dict(variable.split("=", 1) for variable in variables))
    capabilities = ["CAP_" + name for name in container.capabilities]
    shared = any("rshared" in mount["options"] for mount in container.mounts)
    specification = {
        "ociVersion": "1.0.2",
        "process": {
            "args": container.command or image["Entrypoint"] + (image.get("Cmd") or []), "cwd": "/",
            "env": [f"{name}={value}" for name, value in environment.items()],
            "user": {"uid": 0, "gid": 0}, "noNewPrivileges": False,
            "capabilities": {kind: capabilities for kind in ("bounding", "effective", "permitted")},
        },
        "root": {"path": os.path.realpath(root)}, "hostname": name, "mounts": PLAIN_MOUNTS + container.mounts,
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts")], "devices": container.devices,
            # As Docker does for a volume whose mounts go outside.
            "rootfsPropagation": "shared" if shared else "rslave",
        },
    }
    os.makedirs(bundle)
    with open(os.path.join(bundle, "config.json"), "w") as file:
        json.dump(specification, file, indent=1)


main()
