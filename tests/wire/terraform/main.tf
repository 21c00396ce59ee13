# Every resource of the google provider that the emulator serves, each with a value that a second run changes.

variable "host" {
  description = "The emulator, e.g. http://127.0.0.1:8790"
}

variable "label" {
  default = "first"
}

terraform {
  required_providers {
    google = { source = "hashicorp/google" }
  }
}

provider "google" {
  project                                    = "demo-project"
  region                                     = "us-central1"
  access_token                               = "x"
  gke_hub2_custom_endpoint                   = "${var.host}/v1/"
  gke_hub_custom_endpoint                    = "${var.host}/v1/"
  eventarc_custom_endpoint                   = "${var.host}/v1/"
  network_security_custom_endpoint           = "${var.host}/v1/"
  database_migration_service_custom_endpoint = "${var.host}/v1/"
  healthcare_custom_endpoint                 = "${var.host}/v1/"
}

resource "google_gke_hub_scope" "scope" {
  scope_id = "tf-scope"
  labels   = { a = var.label }
}

resource "google_gke_hub_scope_iam_member" "scope_viewer" {
  scope_id = google_gke_hub_scope.scope.scope_id
  role     = "roles/viewer"
  member   = "user:ada@example.com"
}

resource "google_gke_hub_namespace" "namespace" {
  scope_namespace_id = "tfns"
  scope_id           = google_gke_hub_scope.scope.scope_id
  scope              = google_gke_hub_scope.scope.name
}

resource "google_gke_hub_scope_rbac_role_binding" "admin" {
  scope_rbac_role_binding_id = "tfrb"
  scope_id                   = google_gke_hub_scope.scope.scope_id
  user                       = "ada@example.com"
  role { predefined_role = "ADMIN" }
}

resource "google_eventarc_trigger" "trigger" {
  name     = "tf-trigger"
  location = "us-central1"
  matching_criteria {
    attribute = "type"
    value     = "google.cloud.pubsub.topic.v1.messagePublished"
  }
  destination {
    cloud_run_service {
      service = "svc"
      region  = "us-central1"
    }
  }
}

resource "google_network_security_firewall_endpoint" "endpoint" {
  name               = "tf-endpoint"
  parent             = "organizations/1"
  location           = "us-central1-a"
  billing_project_id = "demo-project"
}

resource "google_network_security_firewall_endpoint_association" "association" {
  name              = "tf-association"
  parent            = "projects/demo-project"
  location          = "us-central1-a"
  network           = "projects/demo-project/global/networks/n"
  firewall_endpoint = google_network_security_firewall_endpoint.endpoint.id
  labels            = { a = var.label }
}

resource "google_database_migration_service_connection_profile" "source" {
  location              = "us-central1"
  connection_profile_id = "tf-src"
  mysql {
    host     = "10.0.0.1"
    port     = 3306
    username = "u"
    password = "p"
  }
}

resource "google_database_migration_service_connection_profile" "target" {
  location              = "us-central1"
  connection_profile_id = "tf-dst"
  mysql {
    host     = "10.0.0.2"
    port     = 3306
    username = "u"
    password = "p"
  }
}

resource "google_database_migration_service_migration_job" "job" {
  location         = "us-central1"
  migration_job_id = "tf-job"
  type             = "CONTINUOUS"
  source           = google_database_migration_service_connection_profile.source.name
  destination      = google_database_migration_service_connection_profile.target.name
  static_ip_connectivity {}
}

resource "google_healthcare_dataset" "dataset" {
  name      = "tf-dataset"
  location  = "us-central1"
  time_zone = "UTC"
}

resource "google_healthcare_fhir_store" "store" {
  name    = "tf-store"
  dataset = google_healthcare_dataset.dataset.id
  version = "R4"
  labels  = { a = var.label }
}

resource "google_healthcare_fhir_store_iam_member" "store_viewer" {
  fhir_store_id = google_healthcare_fhir_store.store.id
  role          = "roles/healthcare.fhirStoreViewer"
  member        = "user:ada@example.com"
}

resource "google_healthcare_dataset_iam_member" "dataset_viewer" {
  dataset_id = google_healthcare_dataset.dataset.id
  role       = "roles/healthcare.datasetViewer"
  member     = "user:ada@example.com"
}
